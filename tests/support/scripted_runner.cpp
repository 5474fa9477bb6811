// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_runner.h"

namespace portcullis::test {

ScriptedRunner::ScriptedRunner()
{
    current.tenants = {"master", "acme", "globex"};
}

std::string ScriptedRunner::submit(const decision::ExecRequest &request)
{
    requests.append(request);
    return lastId();
}

} // namespace portcullis::test
