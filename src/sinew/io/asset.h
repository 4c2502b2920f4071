// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Reads characters from files and writes them back, in any supported format.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/report.h"
#include "sinew/io/file.h"

namespace sinew::io {

/// Facts about the coordinates that a format does not specify. If none is set, the character stays as it is.
struct PlacementOptions {
  std::string unit;     ///< Empty: as the format specifies, else metres.
  std::string up;       ///< Empty: as the format specifies, else +y.
  std::string forward;  ///< Empty: as the format specifies, else +z.
  double height = 0;    ///< 0: keep the size.
  bool ground = false;

  bool any() const { return !unit.empty() || !up.empty() || !forward.empty() || height > 0 || ground; }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("unit", "Length unit of the input's coordinates.").one_of({"", "m", "dm", "cm", "mm", "in", "ft"}),
      self.unit);
    v(Field("up", "Axis of the input that points up.").one_of({"", "x", "+x", "-x", "y", "+y", "-y", "z", "+z", "-z"}),
      self.up);
    v(Field("forward", "Axis of the input that the character faces.")
          .one_of({"", "x", "+x", "-x", "y", "+y", "-y", "z", "+z", "-z"}),
      self.forward);
    v(Field("height", "Scale the character to this height; 0 keeps its size.").in("m").range(0, 1e6), self.height);
    v(Field("ground", "Move the lowest point to the ground, y = 0."), self.ground);
  }
};

/// The file as it was read, kept so that writing changes only what Sinew changed. Each format has its own kind.
class Document {
 public:
  virtual ~Document() = default;
};

/// A character, with everything that is known about the file it was read from.
struct Asset {
  Character character;
  std::filesystem::path path;
  std::string format;                        ///< Id of the format: "gltf", "obj", "off", "ply", "rig".
  std::shared_ptr<const Document> document;  ///< Null when the format keeps none.
  std::vector<ReportFile> files;             ///< The file and those it refers to.
  Findings warnings;
  Json contents = Json::object();     ///< Facts specific to the format (extensions, cameras, …), for `info`.
  bool states_space = false;          ///< The format defines unit and axes (glTF does, OBJ does not).
  Mat4 placement = Mat4::Identity();  ///< The transform that `place` applied to the file's coordinates.
};

/// Which data differ from the document and must be written.
struct Changes {
  bool positions = false;
  bool weights = false;   ///< Rows of `rig.weights`.
  bool skeleton = false;  ///< Joints, skins and bind matrices; implies weights.
  bool shape = false;     ///< Normals and morphs along with the positions.
  bool morphs = false;    ///< Parts without morphs in the document got some. glTF only.
  bool extras = false;    ///< Sinew's own data in the extras of the document. glTF only.
};

/// Which joints are which bones of a humanoid, in the words of VRM 1.0: "hips", "leftUpperArm", ….
struct Humanoid {
  std::string name;  ///< Of the character.
  std::vector<std::pair<std::string, Index>> bones;
  bool create = false;  ///< A file that has no table of bones gets one.
};

/// Data that a method prepared for a rig, such as the functions of implicit skinning.
struct PreparedPiece {
  std::string key;  ///< Names all that it was made from (`KeyHasher`).
  std::string method;
  Bytes bytes;
};

struct SaveOptions {
  Changes changes;
  int max_influences = 0;             ///< 0: as many as the weights have, up to 8 in glTF; else 4 or 8 for new weights.
  std::string weight_type = "float";  ///< "float", "u16" or "u8" for new weights in glTF.
  std::vector<Index> new_clips;       ///< Of the character: those that its document does not hold yet. glTF only.
  std::optional<Humanoid> humanoid;   ///< To be written with a changed skeleton. glTF only.
  std::vector<PreparedPiece> prepared;  ///< To be stored in the extras of the document. glTF only.
  /// Clips of the document that got tracks behind those they had: which clip, and its first new track. glTF only.
  std::vector<std::pair<Index, std::size_t>> longer_clips;
};

/// A file format. `read` gets the bytes of the file; it may read files beside it. Either function may be missing.
struct Format {
  std::vector<std::string> endings;  ///< With the dot, lower case; ".rig.json" is one.
  std::function<Asset(const std::filesystem::path&, Bytes, const Progress&)> read;
  /// Puts what has to be written into `files` and findings ("triangulated", …) into `report`.
  std::function<void(const Asset&, const std::filesystem::path&, const SaveOptions&, AtomicFiles& files,
                     Report& report)>
      write;
};

/// All formats, in the order in which they are shown.
const Registry<Registered<Format>>& formats();

/// Finds the format by the file extension. \throws Error that lists the supported extensions.
const Registered<Format>& format_of(const std::filesystem::path& path);

/// Reads a character. The result is valid (`validate` is empty). \throws Error with a sentence if the file cannot be
/// read or does not have the format of its extension.
Asset load(const std::filesystem::path& path, const PlacementOptions& placement = {}, const Progress& progress = {});

/// The same from bytes in memory. The extension of `path` determines the format, and its folder is searched for files
/// that the character refers to.
Asset load_bytes(const std::filesystem::path& path, Bytes bytes, const PlacementOptions& placement = {},
                 const Progress& progress = {});

/// Writes a character through temporary files; the file extension determines the format. Appends to `report` the
/// outputs and a list of what could not be kept. \throws Error if the format cannot be written or writing fails; then
/// every existing file is unchanged.
void save(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, Report& report);

/// Translates, rotates and scales the character as the options specify, and records the transform in `placement`.
void place(Asset& asset, const PlacementOptions& options);

}  // namespace sinew::io
