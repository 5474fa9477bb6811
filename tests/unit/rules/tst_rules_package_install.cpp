// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "NPM_CONFIG_USERCONFIG=./x npm ci",
    "npm_config_userconfig=./x npm ci",
    "pip download -d /etc x",
    "npm -C x install y",
    "npm --loglevel silent i y",
    "go -C x get y",
    "go -C=x install ./...",
    "yarn workspace a add b",
    "yarn workspaces foreach -A add b",
    "corepack pnpm i",
    "corepack yarn@4 add x",
    "pnpm -C x add y",
    "pnpm --dir x i",
    "bun --cwd x add y",
    "ruby -S gem install x",
    "perl -MCPAN -e 'install X'",
    "php composer.phar install",
    "pkcon install x",
    "apt-get download x",
    "apt-get source x",
    "python3 -m playwright install",
    "ansible-galaxy collection install x",
    "pip install x",
    "pip3 install -r requirements.txt",
    "pip3.11 install x",
    "pip -q install x",
    "pip --proxy http://x install y",
    "python -m pip install x",
    "python3 -m pip -q install x",
    "python3.12 -m pip install x",
    "python3 -I -m pip install x",
    "/usr/bin/python3 -m pip install x",
    "venv/bin/pip install x",
    "pipx install x",
    "uv pip install x",
    "uv add x",
    "uvx ruff",
    "poetry install",
    "pipenv install",
    "conda install x",
    "npm install",
    "npm i x",
    "npm add x",
    "npm --prefix a install",
    "npm -g install x",
    "npm install-clean",
    "npm isntall x",
    "npm update",
    "yarn",
    "yarn add x",
    "yarn --cwd a add x",
    "yarn install --frozen-lockfile",
    "pnpm add x",
    "pnpm i",
    "pnpm -C a install",
    "bun install",
    "bun add x",
    "apt install x",
    "apt-get install -y x",
    "apt-get -qq -y install x",
    "apt-get -o A=b install x",
    "DEBIAN_FRONTEND=noninteractive apt-get install x",
    "apt-get update && apt-get install x",
    "dpkg -i x.deb",
    "apk add x",
    "apk --no-cache add x",
    "dnf install x",
    "yum -y install x",
    "zypper -n install x",
    "zypper in x",
    "pacman -S x",
    "pacman -Sy --noconfirm x",
    "brew install x",
    "snap install x",
    "flatpak install x",
    "gem install x",
    "bundle install",
    "bundle",
    "cargo install x",
    "cargo +nightly install x",
    "go install x.example/a@latest",
    "go get x.example/a",
    "composer require a/b",
    "luarocks install x",
    "cpanm X",
    "npx -y x",
    "sh -c 'pip install x'",
    "xargs pip install < requirements.txt",
    "python3 setup.py install",
    "corepack enable",
    "rustup toolchain install nightly",
    "nix-env -iA x",
    "python3 -c 'import os; os.system(\"pip install x\")'",
    "python3 -c 'import subprocess,sys; subprocess.run([sys.executable,\"-m\",\"pip\",\"install\",\"x\"])'",
};

constexpr const char *allowed[] = {
    "npm -C x run build",
    "go -C x test ./...",
    "yarn workspace a build",
    "corepack pnpm test",
    "bun --cwd app test",
    "ruby -S rspec",
    "php composer.phar validate",
    "nvm use 20",
    "docker pull alpine",
    "pkcon search x",
    "python3 -m playwright test",
    "pip list",
    "pip --version",
    "pip freeze",
    "pip show x",
    "pip check",
    "python3 -m pip list",
    "python3 -m pip --version",
    "python3 -m venv venv",
    "python3 -m pytest",
    "python3 -m unittest",
    "npm test",
    "npm run build",
    "npm run install-hooks",
    "npm run add",
    "npm ls",
    "npm --version",
    "npm view x",
    "npm outdated",
    "npm start",
    "npm init -y",
    "yarn test",
    "yarn run add",
    "yarn build",
    "yarn --version",
    "pnpm test",
    "pnpm run install",
    "bun test",
    "bun run x",
    "apt list",
    "apt-cache policy x",
    "dpkg -l",
    "dpkg -S /bin/ls",
    "apk info",
    "pacman -Q",
    "pacman -Ss x",
    "rpm -qa",
    "brew list",
    "gem list",
    "bundle exec rspec",
    "cargo build --release",
    "cargo test",
    "go build",
    "go test ./...",
    "go mod tidy",
    "make install",
    "cmake --install build",
    "echo pip install x",
    "grep \"npm install\" README.md",
    "cat <<'E' > Dockerfile\nRUN apt-get install x\nE",
    "git commit -m 'npm install'",
    "install -m 644 a b",
    "docker build -t a .",
    "npx eslint .",
    "uv run pytest",
    "uv --version",
    "poetry run x",
    "conda list",
    "man apt-get",
    "npm config get registry",
};

} // namespace

class TstRulesPackageInstall : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("package_install")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesPackageInstall)
#include "tst_rules_package_install.moc"
