// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/obj_rewriter.h"

#include <fmt/format.h>

#include <map>
#include <system_error>

#include "sinew/io/text/obj_files.h"
#include "sinew/io/text/obj_parser.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

// A text that is copied with some places replaced, in rising order.
class Edited {
 public:
  explicit Edited(std::string_view text) : text_(text) { out_.reserve(text.size() + text.size() / 8); }

  // The place may be replaced by what is appended to the result.
  std::string& replace(std::size_t offset, std::size_t length) {
    out_.append(text_.substr(copied_, offset - copied_));
    copied_ = offset + length;
    return out_;
  }
  std::string finish() {
    out_.append(text_.substr(copied_));
    return std::move(out_);
  }

 private:
  std::string_view text_;
  std::string out_;
  std::size_t copied_ = 0;
};

// New names by the offset of the old ones.
using Renames = std::map<std::size_t, std::pair<std::size_t, std::string>>;

std::string renamed(std::string_view text, const Renames& renames) {
  Edited edited(text);
  for (const auto& [offset, change] : renames) edited.replace(offset, change.first) += change.second;
  return edited.finish();
}

bool same_folder(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

void add_file(const TargetNames::Target& target, const fs::path& folder, std::span<const std::byte> bytes,
              AtomicFiles& files) {
  if (!target.write) return;
  const fs::path path = folder / target.name;
  std::error_code error;  // A folder that cannot be made is reported when the file in it cannot be.
  fs::create_directories(path.parent_path(), error);
  files.add(path, bytes);
}

// Copies libraries and textures to the target's folder; returns the names that had to change in the OBJ text.
Renames copy_companions(const ObjDocument& document, const fs::path& target, AtomicFiles& files, Report& report) {
  TargetNames names(target.parent_path());
  std::map<std::string, std::string> copied;  // Textures: name in the library, name of the copy.
  Renames obj_renames;
  for (const ObjDocument::MaterialFile& library : document.material_files) {
    Renames mtl_renames;
    for (const TextReference& reference : library.references) {
      auto known = copied.find(reference.name);
      if (known == copied.end()) {
        const auto source = find_beside(document.folder, reference.name);
        std::string name = reference.name;
        if (source) {
          const Bytes bytes = read_file(*source);
          const TargetNames::Target to = names.pick(name_inside(reference.name), bytes);
          add_file(to, names.folder(), bytes, files);
          // Backslashes mean the same file, so such a name may stay as it is.
          if (to.name != name_inside(reference.name) || name_inside(reference.name).size() != reference.name.size())
            name = to.name;
        } else {
          report.warn("obj.missing_texture", to_utf8(library.path.filename().string()),
                      fmt::format("The texture '{}' is missing, so it was not copied.", to_utf8(reference.name)));
        }
        known = copied.emplace(reference.name, name).first;
      }
      if (known->second != reference.name) mtl_renames[reference.offset] = {reference.name.size(), known->second};
    }
    const std::string text = renamed(as_text(library.bytes), mtl_renames);
    const std::string wanted = name_inside(library.named_by.front().name);
    const TargetNames::Target to = names.pick(wanted, as_bytes(text));
    add_file(to, names.folder(), as_bytes(text), files);
    for (const TextReference& reference : library.named_by)
      if (to.name != wanted || wanted.size() != reference.name.size())
        obj_renames[reference.offset] = {reference.name.size(), to.name};
  }
  return obj_renames;
}

// Replaces three numbers of a statement if they say something else now.
template <class Vector, class Same>
void replace_numbers(TextScanner& scan, std::string_view text, Edited& edited, const Vector& now, Same&& is_same) {
  std::array<std::string_view, 3> words;
  Vec3 written;
  for (int i = 0; i < 3; ++i) {
    words[static_cast<std::size_t>(i)] = scan.word();
    written[i] = scan.number(words[static_cast<std::size_t>(i)]);
  }
  if (is_same(written)) return;
  for (int i = 0; i < 3; ++i) {
    const std::string_view word = words[static_cast<std::size_t>(i)];
    append_number(edited.replace(static_cast<std::size_t>(word.data() - text.data()), word.size()), now[i]);
  }
}

std::string moved(const ObjDocument& document, const Mesh& mesh, const Renames& renames, const std::string& file_name) {
  const std::string_view text = document.text();
  const bool with_normals = mesh.normals.values.size() == document.normal_count;
  Edited edited(text);
  TextScanner scan(text, file_name, TextRules{true, true});
  auto rename = renames.begin();
  std::size_t vertex = 0, normal = 0;
  while (!scan.at_end()) {
    const std::string_view key = scan.word();
    if (key == "v") {
      const Vec3& now = mesh.positions[vertex++];
      replace_numbers(scan, text, edited, now, [&](const Vec3& written) { return written == now; });
    } else if (key == "vn" && with_normals) {
      const Vec3f& now = mesh.normals.values[normal++];
      replace_numbers(scan, text, edited, now,
                      [&](const Vec3& written) { return now.isZero() || obj_normal(written) == now; });
    }
    scan.next_line();
    for (; rename != renames.end() && rename->first < scan.offset(); ++rename)
      edited.replace(rename->first, rename->second.first) += rename->second.second;
  }
  return edited.finish();
}

}  // namespace

void rewrite_obj(const ObjDocument& document, const Mesh& mesh, const fs::path& path, const Changes& changes,
                 AtomicFiles& files, Report& report) {
  Renames renames;
  if (!same_folder(document.folder, path.parent_path())) renames = copy_companions(document, path, files, report);
  if (changes.positions) files.add(path, moved(document, mesh, renames, to_utf8(path.string())));
  else if (!renames.empty()) files.add(path, renamed(document.text(), renames));
  else files.add(path, document.bytes);
}

}  // namespace sinew::io
