// SPDX-License-Identifier: MIT
#include "engine/mos/strategies.h"
