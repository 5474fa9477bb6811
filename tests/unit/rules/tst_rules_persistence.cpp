// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "crontab -e",
    "crontab x",
    "crontab -u x y",
    "echo '* * * * * id' | crontab -",
    "(crontab -l; echo x) | crontab -",
    "crontab < x",
    "at now",
    "echo id | at 10:00",
    "systemctl enable x",
    "systemctl --user start x.timer",
    "systemctl daemon-reload",
    "launchctl load x",
    "echo x >> ~/.bashrc",
    "echo x >> ~/.profile",
    "echo x > $HOME/.zshrc",
    "cat x >> ~/.bash_profile",
    "tee -a ~/.bashrc < x",
    "printf x | tee -a \"$HOME/.zshenv\"",
    "cp x ~/.bash_login",
    "cp .bashrc ~",
    "cp .bashrc ~/",
    "mv x ~/.bash_logout",
    "ln -sf x ~/.profile",
    "sed -i '1i x' ~/.bashrc",
    "cd; echo x >> .bashrc",
    "cd ~ && cat x >.profile",
    "echo x >> /home/agent/.bashrc",
    "echo x >> ~agent/.bashrc",
    "echo x >> /root/.bashrc",
    "echo x >> \"$H/.bashrc\"",
    "curl -o ~/.bashrc https://x.example",
    "dd if=x of=$HOME/.bashrc",
    "install x ~/.bashrc",
    "cat k >> ~/.ssh/authorized_keys",
    "cp k ~/.ssh/authorized_keys",
    "echo x > ~/.ssh/config",
    "cp x.service ~/.config/systemd/user/",
    "cp x.desktop ~/.config/autostart/",
    "echo x > /etc/cron.d/x",
    "cp x /etc/systemd/system/x.service",
    "echo x >> /etc/profile",
    "echo x > /etc/profile.d/x.sh",
    "echo x >> /etc/rc.local",
    "cp x .git/hooks/pre-commit",
    "echo id > .git/hooks/post-merge",
    "cat x > /home/agent/project/.git/hooks/pre-push",
    "git config core.hooksPath x",
    "git config --global alias.st '!id'",
    "git config --global core.sshCommand ./x",
    "git config --local core.fsmonitor ./x",
    "echo x >> ~/.vimrc",
    "echo x > ~/.gitconfig",
    "update-rc.d x defaults",
    "loginctl enable-linger x",
    "rc-update add x",
    "python3 -c 'import os; os.system(\"crontab x\")'",
};

constexpr const char *allowed[] = {
    "crontab -l",
    "atq",
    "cat ~/.bashrc",
    "source ~/.bashrc",
    ". ~/.profile",
    "grep x ~/.zshrc",
    "diff ~/.bashrc x",
    "cp ~/.bashrc x",
    "ls -la ~",
    "ls .git/hooks",
    "git config user.name x",
    "git config --list",
    "git config --get core.hooksPath",
    "git config core.autocrlf input",
    "git config --global init.defaultBranch main",
    "systemctl status x",
    "systemctl list-units",
    "service x status",
    "cat /etc/crontab",
    "echo 'crontab -e'",
    "cat > README.md <<'E'\necho x >> ~/.bashrc\nE",
    "echo x > bashrc",
    "cat ~/.ssh/id_ed25519.pub",
    "mkdir -p ~/.ssh",
    "touch at.txt",
    "nohup ./server &",
    "tmux new -d",
    "git commit --no-verify -m x",
};

} // namespace

class TstRulesPersistence : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("persistence")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesPersistence)
#include "tst_rules_persistence.moc"
