// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "program.h"

int main(int argc, char** argv) { return sinew::app::program(argc, argv); }
