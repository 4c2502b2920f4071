// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/animate.h"
#include "sinew/jobs/batch.h"
#include "sinew/jobs/bind.h"
#include "sinew/jobs/check.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/curves.h"
#include "sinew/jobs/deform.h"
#include "sinew/jobs/fit_joints.h"
#include "sinew/jobs/helpers.h"
#include "sinew/jobs/inbetween.h"
#include "sinew/jobs/info.h"
#include "sinew/jobs/job.h"
#include "sinew/jobs/make.h"
#include "sinew/jobs/mcp.h"
#include "sinew/jobs/measure.h"
#include "sinew/jobs/render.h"
#include "sinew/jobs/report.h"
#include "sinew/jobs/reproduce.h"
#include "sinew/jobs/rest.h"
#include "sinew/jobs/rig.h"
#include "sinew/jobs/segment.h"
#include "sinew/jobs/skeleton.h"
#include "sinew/jobs/studio.h"
#include "sinew/jobs/transfer.h"
#include "sinew/jobs/weights.h"

namespace sinew::jobs {
namespace {

std::string kind_names() {
  std::string names;
  for (const auto& kind : shapes::kinds().entries()) names += (names.empty() ? "" : ", ") + kind.id;
  return names;
}

std::string experiment_names() {
  std::string names;
  for (const auto& experiment : lab::experiments().entries()) names += (names.empty() ? "" : ", ") + experiment.id;
  return names;
}

}  // namespace

const Registry<Registered<Command>>& commands() {
  static const Registry<Registered<Command>> registry = [] {
    Registry<Registered<Command>> r("command");
    r.add(
        {"rig",
         "rig",
         "Turn a bare mesh into a rigged character.",
         {.group = "Start",
          .arguments = "MESH… [-o OUT]",
          .most_inputs = 64,
          .has_output = true,
          .examples = {"sinew rig hero.obj", "sinew rig body.glb hair.glb -o hero.glb --preset unity --demo-clip walk",
                       "sinew rig hero.obj --template human --hint left_hand=0.7,1.4,0",
                       "sinew rig hero.glb --replace --rest t"},
          .bind = binder(rig)}});
    r.add({"studio",
           "studio",
           "Open the studio in the browser: rig, look, correct, prove and export.",
           {.group = "Start",
            .arguments = "[FILE…|FOLDER]",
            .least_inputs = 0,
            .most_inputs = 256,
            .examples = {"sinew studio hero.obj", "sinew studio characters/ --port 8080 --no-open"},
            .bind = binder(studio)}});
    r.add({"info",
           "info",
           "Show what a file contains and report problems in it.",
           {.group = "Start",
            .arguments = "FILE",
            .examples = {"sinew info hero.glb", "sinew info hero.obj --unit cm --deep", "sinew info hero.glb --json"},
            .bind = binder(info)}});
    r.add({"check",
           "check",
           "Say PASS, CHECK or FAIL before a character is published, and how to mend it.",
           {.group = "Start",
            .arguments = "FILE… [-o CHECKS.json]",
            .most_inputs = 4096,
            .has_output = true,
            .examples = {"sinew check hero.glb", "sinew check crowd/*.glb --profile vrm --sarif checks.sarif",
                         "sinew check hero.glb --baseline hero_v1.glb --sheet faults.png"},
            .bind = binder(check)}});
    r.add({"bind",
           "bind",
           "Compute new skin weights for an existing skeleton.",
           {.group = "Improve",
            .arguments = "FILE [-o OUT]",
            .has_output = true,
            .examples = {"sinew bind hero.glb", "sinew bind hero.glb --joints Hips,Spine,Head -o again.glb",
                         "sinew bind hero.obj --rig hero.rig.json -o hero.glb"},
            .bind = binder(bind)}});
    r.add({"weights",
           "weights",
           "Limit, prune, smooth, mirror, fill, repair or compare skin weights.",
           {.group = "Improve",
            .arguments = "FILE [OPERATIONS…] [-o OUT]",
            .has_output = true,
            .examples = {"sinew weights hero.glb --max-influences 4 -o hero_4.glb",
                         "sinew weights hero.glb --repair --smooth 2 --dry-run",
                         "sinew weights hero.glb --mirror left-to-right --lock Spine,Head"},
            .bind = binder(weights)}});
    r.add({"helpers",
           "helpers",
           "Add twist joints, and joints that preserve the volume of bent elbows and knees.",
           {.group = "Improve",
            .arguments = "FILE --twist BONE,… [--bend JOINT,…] [-o OUT]",
            .has_output = true,
            .examples = {"sinew helpers hero.glb --twist forearm,upperarm,thigh",
                         "sinew helpers hero.glb --twist forearm --per-bone 2 --bend elbow,knee -o hero_2.glb"},
            .bind = binder(helpers)}});
    r.add({"fit-joints",
           "fit-joints",
           "Shape the parts of contact skinning (implicit) so that they do not bulge at joints.",
           {.group = "Improve",
            .arguments = "FILE [-o OUT]",
            .has_output = true,
            .examples = {"sinew fit-joints hero.glb", "sinew fit-joints hero.glb --parts parts/ -o shapes.json"},
            .bind = binder(fit_joints)}});
    r.add({"rest",
           "rest",
           "Make another pose the rest and bind pose of a rigged character.",
           {.group = "Improve",
            .arguments = "FILE --to t|a|rest|bind|POSE.json [-o OUT]",
            .has_output = true,
            .examples = {"sinew rest hero.glb --to t -o hero_t.glb", "sinew rest hero.glb --to stance.json"},
            .bind = binder(rest)}});
    r.add({"skeleton",
           "skeleton",
           "Show and edit a skeleton: names, parents, added and removed joints.",
           {.group = "Improve",
            .arguments = "FILE [EDITS…] [-o OUT]",
            .has_output = true,
            .examples = {"sinew skeleton hero.glb", "sinew skeleton hero.glb --names auto --preset unreal -o named.glb",
                         "sinew skeleton hero.glb --remove Hat,Feather --rename Bip01=Root"},
            .bind = binder(skeleton)}});
    r.add({"transfer",
           "transfer",
           "Transfer weights, helper joints and drivers from one character to others.",
           {.group = "Move",
            .arguments = "REFERENCE TARGET… [-o OUT|DIR/]",
            .least_inputs = 2,
            .most_inputs = 257,
            .has_output = true,
            .examples = {"sinew transfer hero.glb villain.glb", "sinew transfer hero.glb crowd_*.obj --clips -o crowd/",
                         "sinew transfer hero.glb villain.glb --map joints.json --joints-from reference",
                         "sinew transfer hero.glb villain.glb --only LeftArm,LeftForeArm"},
            .bind = binder(transfer)}});
    r.add({"animate",
           "animate",
           "Put clips of other characters and of motion capture on a character.",
           {.group = "Move",
            .arguments = "CHARACTER CLIP… [-o OUT]",
            .least_inputs = 2,
            .most_inputs = 257,
            .has_output = true,
            .examples = {"sinew animate hero.glb walk.bvh run.bvh -o hero_moves.glb",
                         "sinew animate hero.glb other.glb#Dance --root-motion in-place --loop",
                         "sinew animate hero.glb walk.bvh --map joints.json --trim 0.5,2"},
            .bind = binder(animate)}});
    r.add({"deform",
           "deform",
           "Play a clip or a pose through a deformer and write the deformed vertices.",
           {.group = "Deliver",
            .arguments = "FILE --clip CLIP|--pose FILE [-o OUT]",
            .has_output = true,
            .examples = {"sinew deform hero.glb --clip Walk --method dqs -o walk.glb",
                         "sinew deform hero.glb --clip exercise --delta-mush -o cache.pc2",
                         "sinew deform hero.glb --pose sit.json -o sitting.obj"},
            .bind = binder(deform)}});
    r.add({"inbetween",
           "inbetween",
           "Find the shapes between example poses of one mesh, with turning limbs and the inertia of skin.",
           {.group = "Move",
            .arguments = "POSE0 POSE1 [POSE2 …] [-o OUT]",
            .most_inputs = 256,
            .has_output = true,
            .examples = {"sinew inbetween stand.obj sit.obj -o sitting_down.glb",
                         "sinew inbetween a.obj b.obj c.obj --times 0,0.4,1.1 --join flow -o motion.pc2",
                         "sinew inbetween horse.glb --morph-poses rest,gallop -o between_%04d.obj"},
            .bind = binder(inbetween)}});
    r.add({"convert",
           "convert",
           "Convert a character to another format without loss.",
           {.group = "Deliver",
            .arguments = "IN -o OUT",
            .has_output = true,
            .examples = {"sinew convert hero.obj -o hero.glb --unit cm",
                         "sinew convert hero.glb -o hero_4.glb --max-influences 4",
                         "sinew convert hero.obj -o hero.glb --rig hero.rig.json"},
            .bind = binder(convert)}});
    r.add(
        {"render",
         "render",
         "Render pictures of characters.",
         {.group = "Deliver",
          .arguments = "FILE… [-o PICTURE.png|FOLDER]",
          .most_inputs = 4096,
          .has_output = true,
          .examples = {"sinew render hero.glb -o hero.png", "sinew render hero.glb -o arm.png --show weights:LeftArm",
                       "sinew render hero.glb -o walk.png --clip walk --sheet",
                       "sinew render hero.glb -o regions.png --show segments", "sinew render crowd/*.glb -o pictures/"},
          .bind = binder(render)}});
    r.add({"report",
           "report",
           "Write one page with characters side by side, their clips and checks, that opens from disk.",
           {.group = "Deliver",
            .arguments = "FILE… [-o REPORT.html]",
            .most_inputs = 16,
            .has_output = true,
            .examples = {"sinew report hero.glb", "sinew report before.glb after.glb -o compare.html"},
            .bind = binder(report)}});
    r.add({"batch",
           "batch",
           "Run commands on many characters, in parallel, resumable, on one machine or a cluster.",
           {.group = "Deliver",
            .arguments = "FILE… --do 'COMMAND …' [--do …] -o FOLDER/",
            .least_inputs = 0,
            .most_inputs = 1000000,
            .has_output = true,
            .examples = {"sinew batch in/*.obj --do 'rig {in} -o {out}.glb' --do 'check {out}.glb' -o out/",
                         "sinew batch --list heroes.txt --do 'convert {in} -o {out}.glb' -o out/ --slurm --of 8",
                         "sinew batch out/.sinew-batch/manifest.json --index 3 --of 16"},
            .bind = binder(batch)}});
    r.add({"mcp",
           "mcp",
           "Offer the commands as tools to agents (Model Context Protocol on standard input and output).",
           {.group = "Deliver",
            .arguments = "FOLDER…",
            .most_inputs = 64,
            .examples = {"sinew mcp characters/"},
            .bind = binder(mcp)}});
    r.add({"make",
           "make",
           "Generate a synthetic test character with ground-truth weights: " + kind_names() + ".",
           {.group = "Lab",
            .arguments = "KIND [-o OUT]",
            .has_output = true,
            .examples = {"sinew make figure -o figure.glb", "sinew make bar --joint-count 5 --checkerboard -o bar.obj",
                         "sinew make arm --shape slender -o arm.glb --truth arm.truth.json"},
            .bind = binder(make)}});
    r.add({"segment",
           "segment",
           "Assign each vertex to the bone that owns it.",
           {.group = "Lab",
            .arguments = "FILE [-o OWNERS.json|COLOURS.glb]",
            .has_output = true,
            .examples = {"sinew segment hero.glb -o owners.json", "sinew segment hero.glb -o colours.glb --mode paper",
                         "sinew segment hero.glb -o owners.json --samples-output samples.json"},
            .bind = binder(segment)}});
    r.add({"curves",
           "curves",
           "Find curves around limbs and trunk, their middle lines and bends.",
           {.group = "Lab",
            .arguments = "MESH [-o CURVES.json|COLOURS.glb]",
            .has_output = true,
            .examples = {"sinew curves hero.obj -o curves.json", "sinew curves hero.obj -o curves.glb --source levels"},
            .bind = binder(curves)}});
    r.add({"measure",
           "measure",
           "Measure how well a character deforms: volume, sections, stretch, intersections.",
           {.group = "Lab",
            .arguments = "FILE [--clip CLIP] [--against FILE]",
            .has_output = true,
            .examples = {"sinew measure hero.glb --clip Walk",
                         "sinew measure hero.glb --clip exercise --method dqs --csv hero.csv",
                         "sinew measure hero.glb --against hero_4.glb --json"},
            .bind = binder(measure)}});
    r.add({"reproduce",
           "reproduce",
           "Reproduce the experiments of a paper: " + experiment_names() + ".",
           {.group = "Lab",
            .arguments = "EXPERIMENT [-o TABLE]",
            .has_output = true,
            .examples = {"sinew reproduce blend-bar", "sinew reproduce blend-bar -o bar.md"},
            .bind = binder(reproduce)}});
    return r;
  }();
  return registry;
}

}  // namespace sinew::jobs
