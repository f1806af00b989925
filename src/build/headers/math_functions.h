// SPDX-License-Identifier: Apache-2.0
// The prelude declares all of it.
#pragma once
