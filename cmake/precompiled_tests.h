// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
