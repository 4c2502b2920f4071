// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/io/bvh/bvh.h"

namespace sinew::io {
namespace {

constexpr double kBvhStill = 1e-5;  // Of the skeleton's size: smaller movements against the parent are rounding.

// A joint as it is written. Its axes at rest are those of model space.
struct BvhNode {
  Index joint = kNone;   // kNone for a root that is added above several.
  Index parent = kNone;  // Of the nodes.
  Vec3 offset = Vec3::Zero();
  std::vector<Vec3> positions;   // Per frame, relative to the parent.
  std::vector<Vec3> angles_deg;  // Per frame: about z, y, x.
  bool moves = false;
};

Quat bvh_rotation(const Mat4& m) { return Quat(polar(Mat3(m.topLeftCorner<3, 3>())).rotation).normalized(); }

// Angles about z, y and x of Rz·Ry·Rx, near those of the frame before.
Vec3 bvh_angles_deg(const Quat& q, const Vec3* before) {
  const Mat3 m = q.toRotationMatrix();
  const double sine = std::clamp(-m(2, 0), -1.0, 1.0);
  Vec3 angles;
  if (std::abs(sine) > 1 - 1e-12) {
    // z and x rotate about one axis; x keeps its angle.
    const double x = before ? radians((*before)[2]) : 0;
    const double sum = std::atan2(-m(0, 1), m(1, 1));
    angles = Vec3(sine > 0 ? sum + x : sum - x, std::asin(sine), x);
  } else {
    angles = Vec3(std::atan2(m(1, 0), m(0, 0)), std::asin(sine), std::atan2(m(2, 1), m(2, 2)));
  }
  angles *= degrees(1);
  if (!before) return angles;
  const auto nearest = [&](Vec3 a) {
    for (int i = 0; i < 3; ++i) a[i] = (*before)[i] + std::remainder(a[i] - (*before)[i], 360.0);
    return a;
  };
  const Vec3 one = nearest(angles), other = nearest({angles[0] + 180, 180 - angles[1], angles[2] + 180});
  return (other - *before).norm() < (one - *before).norm() ? other : one;
}

// The joints that deform a mesh and all above them; all joints if none does.
std::vector<char> bvh_joints(const Skeleton& skeleton) {
  std::vector<char> kept(skeleton.joints.size(), 0);
  bool any = false;
  for (Index j = skeleton.size(); j-- > 0;) {
    any = any || skeleton.joints[j].deforming;
    if (skeleton.joints[j].deforming) kept[j] = 1;
    if (kept[j] != 0 && skeleton.joints[j].parent != kNone) kept[skeleton.joints[j].parent] = 1;
  }
  if (!any) std::fill(kept.begin(), kept.end(), char{1});
  return kept;
}

class BvhWriter {
 public:
  BvhWriter(const Skeleton& skeleton, const Clip& clip) : skeleton_(skeleton), rest_(rest_matrices(skeleton)) {
    add_nodes();
    find_times(clip);
    for (std::size_t f = 0; f < frames_; ++f) add_frame(clip, f);
    const double size = box_.diagonal();
    for (BvhNode& node : nodes_)
      for (const Vec3& p : node.positions)
        node.moves = node.moves || node.parent == kNone || (p - node.offset).norm() > kBvhStill * size;
  }

  std::string text() const {
    std::string out = "HIERARCHY\n";
    for (Index n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].parent == kNone) write_node(out, n);
    fmt::format_to(std::back_inserter(out), "MOTION\nFrames: {}\nFrame Time: {:.9g}\n", frames_, frame_time_s_);
    for (std::size_t f = 0; f < frames_; ++f) {
      std::string line;
      for (const Index n : order_) write_frame(line, nodes_[n], f);
      if (!line.empty()) line.back() = '\n';
      out += line;
    }
    return out;
  }

  std::size_t joint_count() const { return nodes_.size(); }
  bool scales() const { return scales_; }

 private:
  void add_nodes() {
    const std::vector<char> kept = bvh_joints(skeleton_);
    Index roots = 0;
    for (Index j = 0; j < skeleton_.size(); ++j) roots += kept[j] != 0 && skeleton_.joints[j].parent == kNone;
    node_of_.assign(skeleton_.joints.size(), kNone);
    // Most readers take one root only.
    if (roots > 1) nodes_.emplace_back();
    for (Index j = 0; j < skeleton_.size(); ++j) {
      const Vec3 here = rest_[j].topRightCorner<3, 1>();
      box_.extend(here);
      if (kept[j] == 0) continue;
      const Index above = skeleton_.joints[j].parent;
      BvhNode node;
      node.joint = j;
      node.parent = above == kNone ? (roots > 1 ? 0 : kNone) : node_of_[above];
      node.offset = above == kNone ? here : Vec3(here - rest_[above].topRightCorner<3, 1>());
      node_of_[j] = static_cast<Index>(nodes_.size());
      nodes_.push_back(std::move(node));
    }
    children_.resize(nodes_.size());
    for (Index n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].parent != kNone) children_[nodes_[n].parent].push_back(n);
    std::vector<Index> open;
    for (Index n = static_cast<Index>(nodes_.size()); n-- > 0;)
      if (nodes_[n].parent == kNone) open.push_back(n);
    while (!open.empty()) {
      const Index n = open.back();
      open.pop_back();
      order_.push_back(n);
      open.insert(open.end(), children_[n].rbegin(), children_[n].rend());
    }
  }

  void find_times(const Clip& clip) {
    const std::vector<float>* times = nullptr;
    for (const Track& track : clip.tracks)
      if (track.path != Track::Path::kMorphWeights && (!times || track.times_s.size() > times->size()))
        times = &track.times_s;
    frames_ = times ? times->size() : 1;
    if (frames_ > 1)
      frame_time_s_ = static_cast<double>(times->back() - times->front()) / static_cast<double>(frames_ - 1);
  }

  std::vector<Transform> locals(const Clip& clip, std::size_t frame) {
    std::vector<Transform> local;
    for (const Joint& joint : skeleton_.joints) local.push_back(joint.rest);
    for (const Track& track : clip.tracks) {
      if (track.path == Track::Path::kMorphWeights || track.width() == 0) continue;
      const std::size_t key = std::min(frame, track.times_s.size() - 1) * track.width();
      const auto value = [&](std::size_t i) { return static_cast<double>(track.values[key + i]); };
      Transform& t = local[track.target];
      if (track.path == Track::Path::kRotation) t.rotation = Quat(value(3), value(0), value(1), value(2)).normalized();
      else if (track.path == Track::Path::kTranslation) t.translation = Vec3(value(0), value(1), value(2));
      else t.scale = Vec3(value(0), value(1), value(2));
      if (track.path == Track::Path::kScale)
        scales_ = scales_ || (t.scale - skeleton_.joints[track.target].rest.scale).norm() > 1e-4 * t.scale.norm();
    }
    return local;
  }

  void add_frame(const Clip& clip, std::size_t frame) {
    const std::vector<Mat4> model = model_matrices(skeleton_, locals(clip, frame));
    std::vector<Quat> turned(nodes_.size(), Quat::Identity());
    for (Index n = 0; n < nodes_.size(); ++n) {
      BvhNode& node = nodes_[n];
      const Quat above = node.parent == kNone ? Quat::Identity() : turned[node.parent];
      Vec3 position = Vec3::Zero();
      if (node.joint != kNone) {
        turned[n] = (bvh_rotation(model[node.joint]) * bvh_rotation(rest_[node.joint]).conjugate()).normalized();
        position = model[node.joint].topRightCorner<3, 1>();
        if (const Index p = skeleton_.joints[node.joint].parent; p != kNone)
          position -= model[p].topRightCorner<3, 1>();
      }
      node.positions.push_back(above.conjugate() * position);
      const Quat local = (above.conjugate() * turned[n]).normalized();
      node.angles_deg.push_back(bvh_angles_deg(local, frame == 0 ? nullptr : &node.angles_deg.back()));
    }
  }

  std::string name_of(Index n) const {
    std::string name = nodes_[n].joint == kNone ? "Root" : skeleton_.joints[nodes_[n].joint].name;
    for (char& c : name)
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '{' || c == '}') c = '_';
    return name.empty() ? fmt::format("joint_{}", n) : name;
  }

  // Without recursion: how deep a skeleton is, its file decides.
  void write_node(std::string& out, Index root) const {
    struct Open {
      Index node;
      std::size_t child;
    };
    std::vector<Open> open = {{root, 0}};
    begin_node(out, root, 0);
    while (!open.empty()) {
      Open& top = open.back();
      const std::string indent(open.size() - 1, '\t');
      if (top.child < children_[top.node].size()) {
        const Index child = children_[top.node][top.child++];
        begin_node(out, child, open.size());
        open.push_back({child, 0});
        continue;
      }
      if (children_[top.node].empty()) write_end(out, top.node, indent + '\t');
      out += indent + "}\n";
      open.pop_back();
    }
  }

  void begin_node(std::string& out, Index n, std::size_t depth) const {
    const std::string indent(depth, '\t');
    const BvhNode& node = nodes_[n];
    fmt::format_to(std::back_inserter(out),
                   "{0}{1} {2}\n{0}{{\n{0}\tOFFSET {3:.9g} {4:.9g} {5:.9g}\n{0}\tCHANNELS {6}\n", indent,
                   depth == 0 ? "ROOT" : "JOINT", name_of(n), node.offset.x(), node.offset.y(), node.offset.z(),
                   node.moves ? "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"
                              : "3 Zrotation Yrotation Xrotation");
  }

  void write_end(std::string& out, Index n, const std::string& indent) const {
    Vec3 end = Vec3::Zero();
    if (const Index j = nodes_[n].joint; j != kNone && skeleton_.joints[j].end_local)
      end = rest_[j].topLeftCorner<3, 3>() * *skeleton_.joints[j].end_local;
    fmt::format_to(std::back_inserter(out), "{0}End Site\n{0}{{\n{0}\tOFFSET {1:.9g} {2:.9g} {3:.9g}\n{0}}}\n", indent,
                   end.x(), end.y(), end.z());
  }

  void write_frame(std::string& line, const BvhNode& node, std::size_t frame) const {
    const auto put = [&](const Vec3& v) {
      fmt::format_to(std::back_inserter(line), "{:.9g} {:.9g} {:.9g} ", v[0], v[1], v[2]);
    };
    if (node.moves) put(node.positions[frame]);
    put(node.angles_deg[frame]);
  }

  const Skeleton& skeleton_;
  std::vector<Mat4> rest_;
  std::vector<BvhNode> nodes_;  // Parents first.
  std::vector<Index> node_of_;  // Per joint.
  std::vector<std::vector<Index>> children_;
  std::vector<Index> order_;  // Of the nodes in the file.
  Box box_;
  std::size_t frames_ = 1;
  double frame_time_s_ = 1.0 / 30;
  bool scales_ = false;
};

}  // namespace

void write_bvh(const Asset& asset, const std::filesystem::path& path, const SaveOptions&, AtomicFiles& files,
               Report& report) {
  const Character& character = asset.character;
  if (character.rig.skeleton.empty())
    throw Error("A BVH file holds the motion of a skeleton, and this character has none.");
  if (character.clips.empty())
    throw Error("A BVH file holds a clip, and this character has none. Choose one with the option 'clip'.");
  const BvhWriter writer(character.rig.skeleton, character.clips.front());
  if (writer.scales())
    report.warn("bvh.scale", character.clips.front().name,
                "BVH cannot hold the scale of joints that the clip changes.");
  if (!character.rig.mesh.parts.empty())
    report.warn("bvh.no_mesh", "", "BVH holds no mesh: only the skeleton and one clip are written.");
  files.add(path, writer.text());
}

}  // namespace sinew::io
