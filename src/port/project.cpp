// SPDX-License-Identifier: Apache-2.0
#include "port/project.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/files.h"
#include "port/source_text.h"
#include "port/translate.h"

namespace warpwright::port {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostFiles = 20'000;
constexpr std::size_t kLargestFile = std::size_t{256} << 20;
constexpr std::size_t kLargestSource = std::size_t{16} << 20;
constexpr std::string_view kOutside = "outside";

bool ends_with_any(const fs::path& path, std::initializer_list<std::string_view> endings) {
  const std::string extension = path.extension().string();
  return std::find(endings.begin(), endings.end(), extension) != endings.end();
}

bool is_source(const fs::path& path) {
  return ends_with_any(path, {".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".cpp", ".cc", ".cxx",
                              ".c", ".inl", ".inc", ".ipp", ".tpp", ".hip", ".cuinl", ".tcc"});
}

bool is_unit(const fs::path& path) {
  return ends_with_any(path, {".cu", ".cpp", ".cc", ".cxx", ".c", ".hip"});
}

/// A compatibility header that an earlier port wrote.
bool is_ours(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".h") &&
         (name.starts_with("warpwright_hip") || name.starts_with("warpwright_cuda") ||
          name == "warpwright_ptx.h");
}

bool below(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  (void)unused;
  return end == folder.end();
}

struct SourceFile {
  fs::path from;
  fs::path to;  ///< relative to the output's folder
  std::string text;
  bool included = false;
};

class Carrier {
 public:
  explicit Carrier(const CarryRequest& request) : request_(request) {}

  Result<CarriedProject> run() {
    WW_CHECK(look_around());
    WW_CHECK(gather());
    for (SourceFile& file : sources_)
      for (const std::string& name : own_names_of(file.text)) own_names_.insert(name);
    for (const std::string_view name : {"__CUDACC__", "__CUDA_ARCH__", "__NVCC__"})
      own_names_.erase(std::string(name));
    WW_CHECK(make_directories(project_.folder));
    for (SourceFile& file : sources_) WW_CHECK(carry(file));
    for (const CompatibilityFile& file : compatibility_files(request_.direction))
      WW_CHECK(write_file(project_.folder / file.name, file.content));
    project_.root = root_;
    std::error_code code;
    for (const fs::path& folder : include_folders_)
      if (fs::is_directory(folder, code)) project_.from_includes.push_back(folder);
    place_include_folders();
    find_units();
    return std::move(project_);
  }

 private:
  /// Where the project begins, where it goes, and how it is built.
  Status look_around() {
    std::error_code code;
    const fs::path input = fs::weakly_canonical(absolute_path(request_.input), code);
    if (!fs::exists(input, code))
      return Error{"there is no file or folder " + request_.input.string()};
    whole_folder_ = fs::is_directory(input, code);
    root_ = whole_folder_ ? input : input.parent_path();
    const fs::path output = fs::weakly_canonical(absolute_path(request_.output), code);
    const bool named = !whole_folder_ && !fs::is_directory(output, code) && is_source(output);
    project_.folder = named ? output.parent_path() : output;
    if (project_.folder == root_ || (whole_folder_ && below(project_.folder, root_)))
      return Error{"the output " + request_.output.string() +
                   " is the input's own folder or lies in it: choose another"};
    project_.flags = build_flags_in(root_);
    for (const std::string& folder : project_.flags.includes)
      include_folders_.push_back((root_ / folder).lexically_normal());
    for (const std::string_view folder : {"", "include", "src"})
      include_folders_.push_back(root_ / folder);
    if (!whole_folder_)
      return add_source(input, named ? output.filename() : input.filename(), false);
    return list_folder();
  }

  Status list_folder() {
    std::error_code code;
    std::vector<fs::path> paths;
    fs::recursive_directory_iterator it(root_, code);
    if (code) return Error{"cannot list " + root_.string() + ": " + code.message()};
    for (; it != fs::recursive_directory_iterator(); it.increment(code)) {
      if (code) return Error{"cannot list " + root_.string() + ": " + code.message()};
      if (it->path().filename().string().starts_with(".")) {
        if (it->is_directory(code)) it.disable_recursion_pending();
        continue;
      }
      if (it->is_symlink(code) || !it->is_regular_file(code) || is_ours(it->path())) continue;
      paths.push_back(it->path());
      if (paths.size() > kMostFiles)
        return Error{root_.string() + " has more than " + std::to_string(kMostFiles) +
                     " files: name the program's own folder"};
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      const fs::path relative = path.lexically_relative(root_);
      if (is_source(path)) {
        WW_CHECK(add_source(path, relative, false));
      } else {
        WW_CHECK(copy(path, relative));
      }
    }
    return {};
  }

  Status copy(const fs::path& path, const fs::path& relative) {
    const fs::path to = project_.folder / relative;
    WW_CHECK(make_directories(to.parent_path()));
    WW_TRY(std::string content, read_file(path, kLargestFile));
    const std::string name = path.filename().string();
    if (is_build_file(name)) content = changed_build_file(name, content, request_.direction);
    return write_file(to, content);
  }

  Status add_source(const fs::path& from, const fs::path& to, bool included) {
    if (const auto found = index_.find(from); found != index_.end()) {
      sources_[found->second].included |= included;
      return {};
    }
    WW_TRY(std::string text, read_file(from, kLargestSource));
    index_.emplace(from, sources_.size());
    sources_.push_back({from, to, std::move(text), included});
    return {};
  }

  /// Follows the includes; the list grows while it is walked.
  Status gather() {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_.size() > kMostFiles) return Error{"the project includes too many files"};
      const SourceText source(sources_[i].text);
      const fs::path from = sources_[i].from;
      for (std::size_t k = 0; k < source.size(); ++k) {
        if (source.token(k).kind != TokenKind::header_name) continue;
        const std::string_view marked = source.at(k);
        const auto path = resolve(from, marked.substr(1, marked.size() - 2), marked[0] == '"');
        if (path) WW_CHECK(add_source(*path, place_of(*path), true));
      }
    }
    return {};
  }

  /// A file outside of the project's folder gets a folder of its own in the output.
  [[nodiscard]] fs::path place_of(const fs::path& path) const {
    if (below(path, root_)) return path.lexically_relative(root_);
    fs::path place(kOutside);
    for (const fs::path& part : path.lexically_relative(root_))
      if (part != "..") place /= part;
    return place;
  }

  /// The project's file that an include means; nothing for headers of the system.
  [[nodiscard]] std::optional<fs::path> resolve(const fs::path& from, std::string_view header,
                                                bool quoted) const {
    if (header.empty() || header.front() == '/' || is_ours(header)) return std::nullopt;
    std::error_code code;
    const auto file = [&](const fs::path& folder) -> std::optional<fs::path> {
      const fs::path path = fs::weakly_canonical(folder / header, code);
      if (code || !fs::is_regular_file(path, code)) return std::nullopt;
      return path;
    };
    if (quoted)
      if (auto found = file(from.parent_path())) return found;
    for (const fs::path& folder : include_folders_)
      if (auto found = file(folder)) return found;
    return std::nullopt;
  }

  Status carry(SourceFile& file) {
    TranslateOptions options;
    options.direction = request_.direction;
    options.unit = file.from.extension() == ".cu" || (!whole_folder_ && &file == &sources_[0]);
    options.own_names = own_names_;
    for (std::size_t depth = count_folders(file.to); depth > 0; --depth)
      options.headers_at += "../";
    options.project_header = [&](std::string_view header, bool quoted) {
      return project_header(file, header, quoted);
    };
    Translation translation = translate(file.text, options);
    for (Unmapped& row : translation.findings.unmapped) {
      row.file = file.to.string();
      project_.findings.unmapped.push_back(std::move(row));
    }
    for (Hazard& row : translation.findings.hazards) {
      row.file = file.to.string();
      project_.findings.hazards.push_back(std::move(row));
    }
    const fs::path to = project_.folder / file.to;
    WW_CHECK(make_directories(to.parent_path()));
    project_.files.push_back(file.to.string());
    return write_file(to, translation.text);
  }

  static std::size_t count_folders(const fs::path& file) {
    return static_cast<std::size_t>(std::distance(file.begin(), file.end())) - 1;
  }

  /// How the written file is to include another: as before where that still leads there.
  [[nodiscard]] std::optional<std::string> project_header(const SourceFile& file,
                                                          std::string_view header,
                                                          bool quoted) const {
    const auto path = resolve(file.from, header, quoted);
    if (!path) return std::nullopt;
    const auto found = index_.find(*path);
    if (found == index_.end()) return std::nullopt;
    const SourceFile& target = sources_[found->second];
    // A change of name of the file itself (-o NAME.cpp) or files from outside.
    const bool moved = !below(file.from, root_) || !below(target.from, root_);
    if (!moved) return std::string(header);
    return target.to.lexically_relative(file.to.parent_path()).string();
  }

  void place_include_folders() {
    std::vector<std::string> folders;
    for (const std::string& folder : project_.flags.includes) {
      const fs::path path = (root_ / folder).lexically_normal();
      const fs::path place = path == root_ || path == root_ / "" ? fs::path() : place_of(path);
      std::error_code code;
      if (fs::is_directory(project_.folder / place, code))
        folders.push_back((project_.folder / place).string());
    }
    folders.push_back(project_.folder.string());
    for (const std::string_view folder : {"include", "src"}) {
      std::error_code code;
      if (fs::is_directory(project_.folder / folder, code))
        folders.push_back((project_.folder / folder).string());
    }
    project_.flags.includes = std::move(folders);
  }

  void find_units() {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const SourceFile& file = sources_[i];
      const bool asked = !whole_folder_ && i == 0;
      if (!asked && (!whole_folder_ || file.included || !is_unit(file.from))) continue;
      Unit unit;
      unit.path = project_.folder / file.to;
      unit.name = file.to.string();
      unit.from = file.from;
      unit.device = asked || ends_with_any(file.from, {".cu", ".hip"}) ||
                    file.text.find("__global__") != std::string::npos;
      project_.units.push_back(std::move(unit));
    }
  }

  const CarryRequest& request_;
  bool whole_folder_ = false;
  fs::path root_;
  std::vector<fs::path> include_folders_;
  std::vector<SourceFile> sources_;
  std::map<fs::path, std::size_t> index_;
  std::set<std::string, std::less<>> own_names_;
  CarriedProject project_;
};

}  // namespace

Result<CarriedProject> carry_over(const CarryRequest& request) { return Carrier(request).run(); }

}  // namespace warpwright::port
