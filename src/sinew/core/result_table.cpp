// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/result_table.h"

#include <algorithm>

namespace sinew {
namespace {

/// Characters, not bytes.
std::size_t cell_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

}  // namespace

std::string table_text(const ResultTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    widths.push_back(cell_width(table.header[c]));
    for (const auto& row : table.rows) widths[c] = std::max(widths[c], cell_width(row[c]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string blank(widths[c] - cell_width(cells[c]), ' ');
      text += (c == 0 ? "  " : "   ") + (c == 0 ? cells[c] + blank : blank + cells[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = table.title + "\n" + line(table.header);
  for (const auto& row : table.rows) text += line(row);
  if (!table.note.empty()) text += "  " + table.note + "\n";
  return text;
}

std::string table_markdown(const ResultTable& table) {
  std::string text = "## " + table.title + "\n\n" + markdown_row(table.header) + "|";
  for (std::size_t c = 0; c < table.header.size(); ++c) text += c == 0 ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  if (!table.note.empty()) text += "\n" + table.note + "\n";
  return text;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ",";
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::string tables_csv(const std::vector<ResultTable>& tables) {
  std::string text = csv_line({"table", "row", "column", "value"});
  for (const ResultTable& table : tables)
    for (const auto& row : table.rows)
      for (std::size_t c = 1; c < row.size(); ++c) text += csv_line({table.id, row[0], table.header[c], row[c]});
  return text;
}

}  // namespace sinew
