// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Qt>

namespace portcullis::ui {

/// Switches the whole program to light, dark, or what the system has (`Unknown`). Where the platform cannot do it by
/// itself, as plain X11 sessions without a desktop, Qt's Fusion style with a palette of our own does.
void applyAppearance(Qt::ColorScheme scheme);

} // namespace portcullis::ui
