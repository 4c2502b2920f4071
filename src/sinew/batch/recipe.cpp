// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/recipe.h"

#include <fmt/format.h>

#include "sinew/core/error.h"

namespace sinew::batch {
namespace {

// A placeholder at a position of a word, or an empty text.
std::string placeholder_at(const std::string& word, std::size_t at) {
  const std::size_t end = word.find('}', at);
  return word[at] == '{' && end != std::string::npos ? word.substr(at, end - at + 1) : "";
}

void require_known(const std::string& word) {
  for (std::size_t at = 0; at < word.size(); ++at) {
    const std::string found = placeholder_at(word, at);
    if (found.empty() || found == "{in}" || found == "{out}" || found == "{name}") continue;
    throw Error(fmt::format("A recipe has no placeholder '{}'. There are {{in}}, {{out}} and {{name}}.", found));
  }
}

}  // namespace

Step parse_step(const std::string& line) {
  Step words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < line.size()) word += line[++i];
      else word += c;
    } else if (c == '"' || c == '\'') {
      quote = c, open = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i], open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open) words.push_back(std::move(word));
      word.clear(), open = false;
    } else {
      word += c, open = true;
    }
  }
  if (quote != 0) throw Error(fmt::format("A quote is not closed in the recipe '{}'.", line));
  if (open) words.push_back(std::move(word));
  if (!words.empty() && words.front() == "sinew") words.erase(words.begin());
  if (words.empty()) throw Error("A step of a recipe has no command.");
  for (const std::string& each : words) require_known(each);
  return words;
}

Step expanded(const Step& step, const Places& places) {
  Step words;
  for (const std::string& word : step) {
    std::string text;
    for (std::size_t at = 0; at < word.size(); ++at) {
      const std::string found = placeholder_at(word, at);
      if (found.empty()) {
        text += word[at];
        continue;
      }
      text += found == "{in}" ? places.in : found == "{out}" ? places.out : places.name;
      at += found.size() - 1;
    }
    words.push_back(std::move(text));
  }
  return words;
}

}  // namespace sinew::batch
