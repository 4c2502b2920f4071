// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Style sheets as text, for a page that has no file beside it.
declare module '*.css?inline' {
  const text: string;
  export default text;
}
