// SPDX-License-Identifier: Apache-2.0
#include "runner/record/masking.h"
#include "tests/support/audit_events.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::record;

namespace {

constexpr auto secret = "S3cr3tA7x";
constexpr auto mark = "_MASKED_16_";

/// `text` with `with` in place of every `@@`.
std::string filled(QByteArray text, const char *with)
{
    return text.replace("@@", with).toStdString();
}

Event eventOf(const std::string &command)
{
    Event event = test::allowedEvent(1);
    event.command = event.normalised = command;
    event.argv = {"/bin/bash", "-c", command};
    event.shell = "bash";
    return event;
}

} // namespace

class TstSecretSpellings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void masks_the_secret_and_nothing_else_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command :
             {// arguments of programs that do not name them
              "zip -P @@ x.zip notes.txt", "zip -rP @@ x.zip notes.txt", "zip -r -P@@ x.zip notes.txt",
              "unzip -P @@ x.zip", "7z x -p@@ x.7z", "rar a -hp@@ x.rar notes.txt", "sudo zip -P @@ x.zip a",
              "env LANG=C zip -P '@@' x.zip a", "sh -c 'zip -P @@ x.zip a'", "find . -exec zip -P @@ x.zip {} +",
              "if true; then zip -P @@ x a; fi", "echo $(unzip -P @@ -l x.zip)",
              "openssl enc -aes-256-cbc -k @@ -in notes.txt", "openssl enc -pass pass:@@ -in x",
              "openssl rsa -passin pass:@@ -in x -passout 'pass:@@'", "htpasswd -b users alice @@",
              "htpasswd -nb alice @@", "htpasswd -cbB users alice '@@'", "ssh-keygen -N @@ -f kk",
              "ssh-keygen -p -P @@ -f kk", "ssh-keygen -t ed25519 -N '@@' -q -f kk", "vault login @@",
              "vault login token=@@", "useradd -p @@ alice", "usermod -p '@@' alice", "useradd --password @@ alice",
              "smbclient -U 'alice%@@' //h/s", "smbclient //h/s -Ualice%@@", "smbclient --user=alice%@@ //h/s",
              "curl -b 'session=@@' https://h/", "curl --cookie session=@@ https://h/", "curl -sb sid=@@ https://h/",
              "curl -H 'X-Api-Key: @@' -b 'session=@@' https://h/", "curl --oauth2-bearer @@ https://h/",
              "curl -u alice:@@ https://h/", "curl -sSu alice:@@ https://h/", "curl --user alice:@@ https://h/",
              "curl --proxy-user alice:@@ https://h/", "curl -E client.pem:@@ https://h/",
              "http --auth alice:@@ https://h/", "http -a alice:@@ https://h/", "xh -A bearer -a @@ https://h/",
              "http --auth-type=bearer --auth @@ https://h/", "xh --bearer @@ https://h/",
              "mysqladmin -u root password @@", "mariadb-admin -h db -u root password '@@'", "lftp -u alice,@@ h",
              "mongosh -u alice -p @@ h", "sqlcmd -S h -U sa -P @@", "mosquitto_pub -u alice -P @@ -t x -m y",
              "keytool -list -storepass @@ -keystore k", "docker login -u alice -p @@ r.example",
              "helm registry login -u alice -p @@ r.example", "ldapsearch -x -D cn=a -w @@", "redis-cli --pass @@ ping",
              "wpa_passphrase home @@", "mc alias set store https://h alice @@", "cargo login @@",
              "snmpwalk -v3 -u alice -A @@ -X @@ h", "twine upload -u alice -p @@ dist/x.whl",
              "gh secret set DEPLOY --body @@", "openssl passwd -6 -salt xy @@", "mkpasswd -m sha-512 @@",
              "bw unlock @@", "xfreerdp /u:alice /p:@@ /v:h", "rdesktop -u alice -p @@ h",
              "nmcli dev wifi connect home password @@", "pass insert -m app <<< @@",
              "az storage blob list --account-key @@ --account-name n", "cvs -d :pserver:alice:@@@h:/r co x",
              "useradd -m -p $(openssl passwd -1 @@) alice", "python3 -c \"import os; os.environ['API_KEY']='@@'\"",
              "aws configure set aws_secret_access_key @@", "aws configure set profile.x.aws_session_token @@",
              "npm config set //r.example/:_authToken @@", "git config --global github.token @@",
              "mysql -uroot -p@@ -e 1", "sshpass -p @@ ssh h", "sshpass -p@@ ssh h",
              // standard input of programs that read a password from there
              "sudo -S <<< @@", "sudo -S true <<< '@@'", "sudo -kS true <<< @@", "chpasswd <<< root:@@",
              "chpasswd <<< 'root:@@'", "echo root:@@ | chpasswd", "printf 'root:%s\\n' @@ | chpasswd",
              "echo @@ | passwd --stdin alice", "printf '@@\\n@@\\n' | passwd alice",
              "docker login -u alice --password-stdin r.example <<< @@", "echo @@ | cryptsetup open /dev/sdx x -",
              "sudo -S id <<X\n@@\nX", "chpasswd <<'X'\nroot:@@\nalice:@@\nX", "gh auth login --with-token <<< @@",
              // variables
              "read -r TOKEN <<< @@", "read -rs DB_PASSWORD <<< '@@'", "PASSWORD=$(echo @@) true",
              "p='@@'; export DB_PASSWORD=$p", "p=@@; zip -P \"$p\" x a", "x=@@; sshpass -p $x ssh h",
              "export TOKEN=\"@@", "DB_PASSWORD='@@", "curl -H \"Authorization: Bearer @@", "API_KEY=@@ make",
              "printf -v DB_PASSWORD %s @@", "p=@@; mytool --password $p",
              // files
              "cat <<X\naws_secret_access_key = @@\nX", "cat > .env <<X\nDB_PASSWORD=@@\nX",
              "echo 'api_token = @@' >> tool.ini", "printf 'machine h login alice password @@\\n' > .netrc",
              "cat > ~/.netrc <<X\nmachine h\n  login alice\n  password @@\nX", "echo h:5432:db:alice:@@ > .pgpass",
              "echo 'h:5432:db:alice:@@' >> ~/.pgpass", "cat > ~/.pgpass <<< h:5432:db:alice:@@",
              "tee ~/.pgpass <<< h:5432:db:alice:@@",
              // code
              "python3 -c 'import requests; requests.get(\"https://h\",auth=(\"alice\",\"@@\"))'",
              "python3 -c \"requests.get('https://h', auth=HTTPBasicAuth('alice', '@@'))\"",
              "node -e 'f({\"password\": \"@@\"})'",
              // addresses
              "cat ./https:/alice:@@@h/x", "git clone https://alice:@@@h/x.git", "git clone https://@@@h/x.git"})
            QTest::addRow("%s", command) << QByteArray(command);
    }

    void masks_the_secret_and_nothing_else()
    {
        QFETCH(QByteArray, command);
        const std::string original = filled(command, secret);
        Event event = eventOf(original);
        const std::string word = secret;
        event.session = event.agent = event.error = "at " + word;
        event.hostFactsJson = "{\"resolved\":{\"/srv/acme/" + word + "\":\"\",\"/srv/acme/other\":\"\"}}";
        const KnownSecrets secrets = maskSecrets(event);
        QByteArray shown = QByteArray::fromStdString(event.command);
        // How quotes and line ends that belong to the secret are kept is not the question here.
        const QByteArray expected = QByteArray::fromStdString(filled(command, mark));
        if (shown != expected)
            shown.replace("_MASKED_8_", mark);
        QCOMPARE(shown, expected);
        QVERIFY(event.masked);
        for (const std::string &text : {event.session, event.agent, event.error, event.hostFactsJson, event.argv[2]})
            QVERIFY2(!text.contains(secret), text.c_str());
        QVERIFY(event.hostFactsJson.contains("/srv/acme/other"));
        const Event once = event;
        maskSecrets(event);
        QCOMPARE(QByteArray::fromStdString(event.command), QByteArray::fromStdString(once.command));
        QVERIFY(event == once);
        Output output{"you gave " + word, word + ": not found", 0, 0};
        QVERIFY(maskSecrets(output, secrets));
        QVERIFY(!output.out.contains(secret) && !output.err.contains(secret));
    }

    void masks_it_in_the_words_as_the_shell_reads_them_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("read");
        const auto row = [](const char *command, const char *read) {
            QTest::addRow("%s", command) << QByteArray(command) << QByteArray(read);
        };
        row("z''ip -P S3cr'3tA7'x x a", "zip -P S3cr3tA7x x a");
        row("zip -P $'S3cr3t\\x417x' x a", "zip -P S3cr3tA7x x a");
        row("p=$'S3cr3t\\x417x'; zip -P $p x a", "zip -P S3cr3tA7x x a");
        row("c''url -u alice:S3cr3tA7x https://h/", "curl -u alice:S3cr3tA7x https://h/");
        row("a=S3cr; mysql --pass''word=${a}3tA7x", "mysql --password=S3cr3tA7x");
    }
    void masks_it_in_the_words_as_the_shell_reads_them()
    {
        QFETCH(QByteArray, command);
        QFETCH(QByteArray, read);
        Event event = eventOf(command.toStdString());
        event.normalised = read.toStdString();
        event.argv.clear();
        for (const QByteArray &word : read.split(' '))
            event.argv.push_back(word.toStdString());
        maskSecrets(event);
        QVERIFY2(!event.normalised.contains(secret), (event.command + " read as " + event.normalised).c_str());
        QVERIFY2(event.normalised.contains("_MASKED_"), event.normalised.c_str());
        for (const std::string &word : event.argv)
            QVERIFY2(!word.contains(secret), word.c_str());
        QVERIFY(event.masked);
    }

    void masks_the_whole_word_where_the_secret_is_spelled_in_pieces_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command :
             {"curl --header=Authorization:\\ Bearer\\ S3cr3tA7x https://h/", "zip -P S3cr\"3tA7\"x x a",
              "zip -P 'S3cr'3tA7x x a", "z\"ip\" -P S\\3cr3tA7x x a", "pass\\word=S3cr3tA7x ./run",
              "mytool --pass\"word=S3cr3tA7x\"", "mytool --pass''word S3cr3tA7x", "zip -P $'S3cr3t\\x417x' x a",
              "export DB_\"PASSWORD\"=S3cr3tA7x"})
            QTest::addRow("%s", command) << QByteArray(command);
    }

    void masks_the_whole_word_where_the_secret_is_spelled_in_pieces()
    {
        QFETCH(QByteArray, command);
        Event event = eventOf(command.toStdString());
        event.error = "cannot read S3cr3tA7x";
        maskSecrets(event);
        for (const char *piece : {"S3cr", "3tA7", "A7x", "417x"})
            QVERIFY2(!event.command.contains(piece), event.command.c_str());
        QVERIFY(event.masked);
    }

    void leaves_everyday_texts_readable_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command : {"git show 9fceb02d0ae598e95dc970b74767f19372d61af8",
                                    "echo 550e8400-e29b-41d4-a716-446655440000",
                                    "docker run -p 8080:80 -e MODE=fast nginx",
                                    "docker login --password-stdin r.example < token.txt",
                                    "docker login -u alice r.example",
                                    "ssh -p 8080 h",
                                    "python3 -m http.server -p 8080",
                                    "python3 tokenize.py --input tokens.json",
                                    "python3 -m tokenize setup.py",
                                    "git log --author=alice",
                                    "git log --format='%an author=%ae'",
                                    "git commit --author='A B <a@h>' -m 'secret sauce'",
                                    "MODE=fast LEVEL=3 make -j2",
                                    "COMPILER=gcc-14 ./configure --prefix=/usr",
                                    "cat aGVsbG8gd29ybGQ.png",
                                    "ls dGhpcyBpcyBhIGZpbGU=.bin",
                                    "zip -r x.zip src",
                                    "zip -P \"$ZIP_PASSWORD\" x.zip src",
                                    "unzip -p x.zip notes.txt",
                                    "7z x archive.7z -opath",
                                    "7z a -spf x.7z photos",
                                    "openssl enc -pass env:PW -in x",
                                    "openssl enc -pass file:pw.txt -in x",
                                    "openssl dgst -sha256 x",
                                    "openssl req -newkey rsa:2048 -keyout server.pem",
                                    "ssh-keygen -t ed25519 -N '' -f id",
                                    "ssh-keygen -lf id.pub",
                                    "ssh-keygen -t rsa -b 4096 -C alice@h",
                                    "htpasswd users alice",
                                    "vault login -method=oidc",
                                    "vault kv get kv/app",
                                    "vault token lookup",
                                    "cargo login",
                                    "cargo build --release",
                                    "useradd -m alice",
                                    "mkdir -p build/dev",
                                    "curl -b cookies.txt https://h/",
                                    "curl -c cookies.txt https://h/",
                                    "curl -u alice https://h/",
                                    "http -a alice https://h/",
                                    "xh -A bearer -a \"$TOKEN\" https://h/",
                                    "mysqladmin -u root ping",
                                    "curl -H 'Accept: application/json' https://h/",
                                    "curl -H \"Authorization: Bearer $TOKEN\" https://h/",
                                    "curl -u \"$USER:$PASSWORD\" https://h/",
                                    "curl -E client.pem https://h/",
                                    "http https://h/ name=alice page:=2",
                                    "smbclient -U alice //h/s",
                                    "mysql -u root -p app",
                                    "mysql --protocol=tcp -P 3306 app",
                                    "psql -p 5432 -U alice app",
                                    "redis-cli -p 6379 ping",
                                    "aws configure set region eu-west-1",
                                    "aws s3 ls s3://bucket/key/name",
                                    "aws configure list",
                                    "git config --global user.name 'A B'",
                                    "git config --get remote.origin.url",
                                    "git config credential.helper store",
                                    "npm config set registry https://r.example/",
                                    "kubectl config set-context dev --namespace=acme",
                                    "kubectl get secrets -n acme",
                                    "kubectl create configmap x --from-literal=mode=fast",
                                    "gh secret list",
                                    "gh pr create --title x --body 'tokens are counted now'",
                                    "sudo -S true < /dev/null",
                                    "echo hello | sudo tee /etc/motd",
                                    "echo hello world | cat",
                                    "read -r LINE <<< hello7world",
                                    "read -r NAME REST <<< 'alice7 and bob8'",
                                    "passwd -S alice",
                                    "TOKEN=$(cat token.txt) ./run",
                                    "PASSWORD=$(pass show app) ./run",
                                    "p=$1; export DB_PASSWORD=$p",
                                    "export PATH=\"$HOME/bin:$PATH",
                                    "echo \"it's fine",
                                    "grep -rn 'password =' src",
                                    "grep \"api_key=\" src/app.py",
                                    "grep -n 'machine learning' notes.txt",
                                    "sed -n 's/^password = .*/x/p' app.ini",
                                    "cat <<X\nname = alice7bob8\nmode = fast1234\nX",
                                    "cat <<X\nkey_count = 12345678\nX",
                                    "echo h:5432:db:alice > hosts.txt",
                                    "gcc -c a.c 2>&1 | grep a.c:12:5:error:x9",
                                    "awk -F: '{print $1\":\"$2}' /etc/hosts",
                                    "python3 -c 'import os; print(os.sep)'",
                                    "python3 -c 'token = tokens[0]; print(token)'",
                                    "python3 -c 'f(auth=None)'",
                                    "pytest -k test_password -p no:cacheprovider",
                                    "sort -t: -k2 users",
                                    "tar -czf x.tgz --exclude=key src",
                                    "rsync -a h:/srv/x@y .",
                                    "pip install -U pip tokenizers==0.19",
                                    "make token-bucket-test",
                                    "jq '.tokens | length' usage.json",
                                    "node -e 'console.log(\"keys: \" + Object.keys({}).length)'",
                                    "su - alice -c id",
                                    "net user",
                                    "mc ls store",
                                    "keytool -list -keystore k",
                                    "git -c http.extraHeader=\"Authorization: bearer $T\" fetch",
                                    "openssl passwd -6",
                                    "mkpasswd -m sha-512",
                                    "nmcli dev wifi list",
                                    "pass show app",
                                    "bw list items",
                                    "os.environ['HOME'] = '/srv/a1b2c3d4'",
                                    "ls -la keys/ auth/ cookies/"})
            QTest::addRow("%s", command) << QByteArray(command);
    }

    void leaves_everyday_texts_readable()
    {
        QFETCH(QByteArray, command);
        Event event = eventOf(command.toStdString());
        maskSecrets(event);
        QCOMPARE(QByteArray::fromStdString(event.command), command);
        QVERIFY(!event.masked);
        QVERIFY(event.masks.empty());
    }

    void spans_and_masks_point_at_the_marks_that_words_gave()
    {
        Event event = eventOf("zip -P S3cr3tA7x x.zip a | sh");
        event.spans = {{0, 3}, {27, 2}};
        maskSecrets(event);
        QCOMPARE(event.command, std::string("zip -P _MASKED_16_ x.zip a | sh"));
        QVERIFY((event.masks == std::vector<Span>{{7, 11}}));
        QVERIFY((event.spans == std::vector<Span>{{0, 3}, {29, 2}}));
    }

    void a_hostile_command_is_masked_within_bounded_work()
    {
        for (const std::string_view unit :
             {"zip -P x;", "$(zip -P ", "sudo -S <<< a\n", "\"${TOKEN:-", "{a,b}{c,d}{e,f} "}) {
            std::string command;
            while (command.size() < 120U << 10)
                command += unit;
            QVERIFY(!maskCommand(command, Dialect::Bash).text.empty());
        }
    }

    void a_mark_leaves_the_quotes_of_the_rest_in_pairs_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("masked");
        const auto row = [](const char *command, const char *masked) {
            QTest::newRow(command) << QByteArray(command) << QByteArray(masked);
        };
        row("API_KEY='S3cr3t'\"A7x\"qq; sudo id", "API_KEY=_MASKED_16_; sudo id");
        row("zip -P S3c\"r3tA7x\" x.zip; sudo id", "zip -P _MASKED_16_ x.zip; sudo id");
        row("zip -P \"S3cr3tA7x\" x.zip; sudo id", "zip -P \"_MASKED_16_\" x.zip; sudo id");
        row("curl -u 'alice:S3cr'\"3tA7x\" h; sudo id", "curl -u _MASKED_32_ h; sudo id");
    }
    void a_mark_leaves_the_quotes_of_the_rest_in_pairs()
    {
        QFETCH(QByteArray, command);
        const Masked masked = maskCommand(command.toStdString(), Dialect::Bash);
        QTEST(QByteArray::fromStdString(masked.text), "masked");
        QCOMPARE(maskCommand(masked.text, Dialect::Bash).text, masked.text);
    }
};

QTEST_GUILESS_MAIN(TstSecretSpellings)
#include "tst_secret_spellings.moc"
