// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Everything that most programs need of Sinew: characters, files, and what the commands do as functions on characters.

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/method.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/add_helpers.h"
#include "sinew/pipeline/bind.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/edit_weights.h"
#include "sinew/pipeline/inspect.h"
#include "sinew/pipeline/measure.h"
#include "sinew/pipeline/play.h"
#include "sinew/pipeline/rig.h"
#include "sinew/pipeline/transfer.h"
