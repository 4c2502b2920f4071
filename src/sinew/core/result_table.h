// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Figures in rows and columns, to be read by people and by spreadsheets.
struct ResultTable {
  std::string id;     ///< Short and stable, for machines.
  std::string title;  ///< A line for people.
  std::string note;   ///< Sentences below it; may be empty.
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< Each as long as the header.
};

/// Columns lined up for a terminal: the first to the left, the others to the right.
std::string table_text(const ResultTable& table);

/// A Markdown table under a heading.
std::string table_markdown(const ResultTable& table);

/// One line of comma-separated values; fields that need it are quoted (RFC 4180).
std::string csv_line(const std::vector<std::string>& fields);

/// All cells as `table,row,column,value`: one value per line, whatever the shapes of the tables. The row is its first
/// cell.
std::string tables_csv(const std::vector<ResultTable>& tables);

}  // namespace sinew
