// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// add_a_deformer CHARACTER CLIP: registers a deformer that lifts the linearly skinned surface, and plays a built-in
// clip through it. Copy it as a starting point.

#include <sinew/deform/blend/lbs.h>
#include <sinew/sinew.h>

#include <cstdio>

struct LiftOptions {
  double height = 0.5;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(sinew::Field("lift_height", "How far the skin is lifted.").in("m").range(0, 10), self.height);
  }
};

class Lift : public sinew::deform::Deformer {
 public:
  Lift(const sinew::Rig& rig, double height) : linear_(sinew::deform::bind_lbs(rig)), height_(height) {}
  std::unique_ptr<State> make_state() const override { return linear_->make_state(); }
  void deform(State& state, const sinew::deform::FrameInput& input,
              const sinew::deform::FrameOutput& output) const override {
    linear_->deform(state, input, output);
    for (sinew::Vec3f& position : output.positions) position.y() += static_cast<float>(height_);
  }

 private:
  std::unique_ptr<Deformer> linear_;
  double height_;
};

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: add_a_deformer CHARACTER CLIP\n"), 2;
  sinew::deform::deformers().add({
      .id = "lift",
      .name = "lifted",
      .when = "Use it for characters that float.",
      .options = LiftOptions{},
      .bind = [](const sinew::Rig& rig, const sinew::deform::MethodInputs&, const sinew::AnyOptions& options,
                 const sinew::Progress&) { return std::make_unique<Lift>(rig, options.as<LiftOptions>().height); },
  });
  const sinew::Character character = sinew::io::load(argv[1]).character;
  const sinew::Clip clip = sinew::motion::builtin_clip(character.rig.skeleton, argv[2]);
  sinew::pipeline::Playback plain(character, clip);
  sinew::pipeline::Playback lifted(character, clip, sinew::pipeline::deformer("lift", LiftOptions{.height = 2}));
  plain.next(), lifted.next();
  std::printf("lifted by %.3f m\n", static_cast<double>(lifted.positions()[0].y() - plain.positions()[0].y()));
} catch (const sinew::Error& problem) {
  return std::fprintf(stderr, "%s\n", problem.what()), 2;
}
