// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcullis::host {

/// Makes sure that this process has a UTF-8 locale, which Qt needs and complains about on standard error where it is
/// missing (services, cron). Changes the environment, so call it before any thread and before the application object;
/// commands get an environment of their own and see nothing of it.
void useUtf8Locale();

} // namespace portcullis::host
