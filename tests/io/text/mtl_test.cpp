// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/mtl.h"

#include <gtest/gtest.h>

namespace sinew::io {
namespace {

TEST(Mtl, ReadsColoursTransparencyAndRoughness) {
  const MtlFile file = parse_mtl(
      "Kd 1 1 1\nnewmtl a b\r\n\tKd 0.5 0.25 0\nKe 1\nTr 0.25\nNs 6 # shiny\n"
      "newmtl c\nd 0.5\nTr 1\nNs 6\nPr 0.125\nPm 1\n",
      "m.mtl");
  ASSERT_EQ(file.materials.size(), 2U);
  const Material &first = file.materials[0].material, &second = file.materials[1].material;
  EXPECT_EQ(first.name, "a b");
  EXPECT_EQ(first.base_color, Vec4f(0.5F, 0.25F, 0, 0.75F));
  EXPECT_EQ(first.emissive, Vec3f::Ones());
  EXPECT_EQ(first.alpha, Material::Alpha::kBlend);
  EXPECT_FLOAT_EQ(first.roughness, 0.5F);
  EXPECT_EQ(second.base_color[3], 0.5F);
  EXPECT_EQ(second.roughness, 0.125F);
  EXPECT_EQ(second.metallic, 1.0F);
  EXPECT_TRUE(file.findings.empty());
}

TEST(Mtl, FindsTheFileNameBehindOptionsAndBlanks) {
  const MtlFile file = parse_mtl(
      "newmtl a\nmap_Kd -s 1 1 1 -o 0 0 -clamp on -mm 0 1  my skin.png \nbump -bm 0.5 bump.png\nnorm 1.png\n"
      "map_Ke \"glow map.jpg\"\nmap_d -odd.png\nmap_Ks -t 1 2 7.png\n",
      "m.mtl");
  const MtlMaterial& material = file.materials.at(0);
  EXPECT_EQ(material.base_color_file, "my skin.png");
  EXPECT_EQ(material.normal_file, "1.png");
  EXPECT_EQ(material.emissive_file, "glow map.jpg");
  EXPECT_EQ(material.alpha_file, "-odd.png");
  EXPECT_EQ(material.material.emissive, Vec3f::Ones());
  ASSERT_EQ(file.references.size(), 6U);
  EXPECT_EQ(file.references[1].name, "bump.png");
  EXPECT_EQ(file.references[5].name, "7.png");
  EXPECT_TRUE(file.findings.empty());
}

TEST(Mtl, BlackBesideATextureMeansTheTextureAlone) {
  EXPECT_EQ(parse_mtl("newmtl a\nKd 0 0 0\nmap_Kd a.png\n", "").materials[0].material.base_color, Vec4f::Ones());
  EXPECT_EQ(parse_mtl("newmtl a\nKd 0 0 0\n", "").materials[0].material.base_color, Vec4f(0, 0, 0, 1));
}

TEST(Mtl, ReportsWhatItCannotReadOrKeep) {
  const MtlFile file = parse_mtl("newmtl a\nKd x 0 0\nNs nan\nd\nmap_Kd -s 2 2 1 a.png\n", "m.mtl");
  ASSERT_EQ(file.findings.size(), 2U);
  EXPECT_EQ(file.findings[0].code, "mtl.texture_option");
  EXPECT_EQ(file.findings[1].code, "mtl.bad_value");
  EXPECT_NE(file.findings[1].text.find("3 value(s)"), std::string::npos);
  EXPECT_NE(file.findings[1].text.find("line 2"), std::string::npos);
  EXPECT_EQ(file.materials[0].material.base_color, Vec4f::Ones());
}

TEST(Mtl, WhatIsWrittenReadsTheSame) {
  Material material;
  material.base_color = {0.1F, 0.2F, 1.0F / 3, 0.4F};
  material.alpha = Material::Alpha::kBlend;
  material.emissive = {0, 0.7F, 0};
  material.metallic = 0.9F;
  material.roughness = 0.01F;
  material.normal_image = 1;
  material.base_color_image = 0;
  const MtlFile file = parse_mtl(format_mtl({material}, {"some name"}, {"a b.png", "n.png"}), "");
  const MtlMaterial& read = file.materials.at(0);
  EXPECT_EQ(read.material.name, "some name");
  EXPECT_EQ(read.material.base_color, material.base_color);
  EXPECT_EQ(read.material.emissive, material.emissive);
  EXPECT_EQ(read.material.metallic, material.metallic);
  EXPECT_EQ(read.material.roughness, material.roughness);
  EXPECT_EQ(read.base_color_file, "a b.png");
  EXPECT_EQ(read.normal_file, "n.png");
}

}  // namespace
}  // namespace sinew::io
