// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Results in rows and columns, for people and for spreadsheets.
struct ResultTable {
  std::string id;     ///< Short and stable, for machines.
  std::string title;  ///< A line for people.
  std::string note;   ///< Sentences below it; may be empty.
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< Each as long as the header.
};

/// Returns text with aligned columns for a terminal: the first column is left-aligned, the others right-aligned.
std::string table_text(const ResultTable& table);

/// Returns a Markdown table with a heading.
std::string table_markdown(const ResultTable& table);

/// Returns one line of comma-separated values. Fields are quoted where necessary (RFC 4180).
std::string csv_line(const std::vector<std::string>& fields);

/// Returns all cells as `table,row,column,value`, one value per line, for tables of any shape. A row is identified by
/// its first cell.
std::string tables_csv(const std::vector<ResultTable>& tables);

}  // namespace sinew
