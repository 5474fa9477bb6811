// SPDX-License-Identifier: Apache-2.0

// Command lines of an ordinary day, labelled before the masking had seen one: harmless ones stay as they are, of others
// the secret goes and nothing else. `@@` is the secret.

#include "runner/record/masking.h"
#include "tests/support/audit_events.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::record;

namespace {

Event eventOf(const QByteArray &command)
{
    Event event = test::allowedEvent(1);
    event.command = event.normalised = command.toStdString();
    event.argv = {"/bin/bash", "-c", event.command};
    event.shell = "bash";
    return event;
}

} // namespace

class TstSecretsEveryday : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_harmless_line_stays_as_it_is_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command : {
                 "git log --oneline -20",
                 "git commit -am 'Rotate the password hashing to argon2'",
                 "git commit -m \"fix: token refresh loses the session\"",
                 "git checkout -b feature/api-key-rotation",
                 "git rebase -i HEAD~4",
                 "git diff main...secret-store -- src/auth/token.go",
                 "git show 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
                 "git cherry-pick e3b0c44298fc1c149afbf4c8996fb924",
                 "git grep -n 'password' -- '*.py'",
                 "git blame -L 40,80 internal/auth/secret.go",
                 "git push origin HEAD:refs/for/main",
                 "git tag -a v2.4.1 -m 'Release 2.4.1'",
                 "git clone https://github.com/example/tokenizer.git",
                 "git config user.email dev@example.com",
                 "git stash push -m 'wip: password reset form'",
                 "git fetch --depth=1 origin pull/482/head",
                 "grep -rn 'API_KEY' src/",
                 "grep -r \"password=\" config/ --include=*.yml",
                 "rg -i 'bearer token' docs",
                 "rg --files | rg secret",
                 "ag 'private_key' lib",
                 "grep -c token access.log",
                 "sed -n '/password/,/end/p' app.rb",
                 "sed -i 's/token_ttl=3600/token_ttl=7200/' app.conf",
                 "awk -F: '{print $1}' /etc/passwd",
                 "awk '/secret/ {count++} END {print count}' notes.txt",
                 "find . -name '*secret*' -type f",
                 "find . -path ./node_modules -prune -o -name '*.key' -print",
                 "ls -l ~/.config/keys",
                 "cat docs/password-policy.md",
                 "less README.md",
                 "head -n 50 tests/test_password_reset.py",
                 "wc -l tokens.csv",
                 "sort -k2 -u keys.txt",
                 "cut -d: -f2 users.txt",
                 "tail -f logs/auth.log",
                 "diff -u old/secrets.tmpl new/secrets.tmpl",
                 "cp .env.example .env.test",
                 "mv token.go tokens.go",
                 "mkdir -p secrets/templates",
                 "touch api_key.md",
                 "chmod 600 id_ed25519.pub",
                 "npm test -- --grep 'password strength'",
                 "npm run build:tokens",
                 "npm install jsonwebtoken@9.0.2",
                 "npm run lint -- --fix",
                 "npm ci --no-audit --prefer-offline",
                 "npx jest --testNamePattern='rejects an expired token'",
                 "npx prettier --check 'src/**/*.ts'",
                 "yarn add password-validator",
                 "pnpm --filter @acme/auth build",
                 "node scripts/gen-keys.js --count 5",
                 "pip install python-jose passlib",
                 "pip install -r requirements/dev.txt",
                 "python -m pytest tests/test_tokens.py -k 'not slow'",
                 "python -m pytest -q -x --maxfail=1 -p no:cacheprovider",
                 "python manage.py migrate auth 0012_alter_user_password",
                 "python -c 'import secrets; print(secrets.__doc__)'",
                 "python3 -m http.server 8080 -b 127.0.0.1",
                 "poetry run mypy src/auth",
                 "uv pip compile pyproject.toml -o requirements.txt",
                 "go test ./internal/token/... -run TestRefresh -count=1",
                 "go build -o bin/keytool ./cmd/keytool",
                 "go mod tidy",
                 "cargo test password_hash -- --nocapture",
                 "cargo build --release -p token-service",
                 "make test TESTS=auth/token",
                 "make -j4 KEY_SIZE=2048 certs",
                 "cmake -S . -B build -DUSE_TOKEN_CACHE=ON",
                 "ctest --test-dir build -R secret --output-on-failure",
                 "mvn -q -pl auth test -Dtest=TokenTest",
                 "gradle :auth:test --tests '*PasswordTest'",
                 "docker compose up -d db",
                 "docker run --rm -p 5432:5432 -e POSTGRES_DB=app postgres:16",
                 "docker ps --filter name=token-service",
                 "docker build -t registry.example/auth:1.4.2 --build-arg VERSION=1.4.2 .",
                 "docker logs --since 10m token-service",
                 "kubectl get secrets -n staging",
                 "kubectl describe secret db-credentials",
                 "kubectl get pods -l app=token-service -o wide",
                 "kubectl rollout restart deploy/auth",
                 "kubectl logs -f deploy/auth -c token-refresher --tail=100",
                 "helm upgrade auth charts/auth --set image.tag=1.4.2",
                 "terraform plan -out=tf.plan -var-file=staging.tfvars",
                 "aws s3 ls s3://acme-artifacts/keys/",
                 "aws secretsmanager list-secrets --region eu-west-1",
                 "gcloud secrets list --project acme-staging",
                 "az keyvault secret list --vault-name acme",
                 "vault kv list secret/app",
                 "gh pr create --title 'Rotate tokens' --body 'See the runbook'",
                 "gh secret list",
                 "gh run view 9123456789 --log-failed",
                 "gh api repos/acme/app/actions/secrets",
                 "psql -h localhost -U app -d app -c 'select count(*) from tokens'",
                 "psql -c \"update users set password_reset_at = now() where id = 42\"",
                 "mysql -h db -u app -e 'show tables like \"%token%\"'",
                 "sqlite3 app.db 'select name from api_keys'",
                 "redis-cli -h cache keys 'session:*'",
                 "mongosh --quiet --eval 'db.tokens.countDocuments()'",
                 "openssl x509 -in cert.pem -noout -fingerprint -sha256",
                 "openssl req -new -key server.key -out server.csr -subj /CN=h",
                 "openssl rand -hex 16",
                 "ssh -i ~/.ssh/deploy_key build@host uptime",
                 "ssh-keygen -lf id_ed25519.pub",
                 "scp -P 2222 build.tar.gz ci@host:/srv/",
                 "rsync -avz --exclude='*.key' dist/ host:/srv/app/",
                 "curl -fsSL https://example.com/docs/authentication",
                 "curl -s 'http://localhost:8080/users?page=2&sort=token_count'",
                 "curl -X POST http://localhost:8080/password-reset -d 'email=dev@example.com'",
                 "curl -H 'Accept: application/json' http://localhost:3000/api/keys",
                 "curl -o keys.json http://localhost/keys",
                 "wget -q https://example.com/pass-1.7.4.tar.xz",
                 "sha256sum dist/app.tar.gz",
                 "echo 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a' | sha256sum -c",
                 "echo \"PASSWORD_MIN_LENGTH=12\" >> .env.example",
                 "export TOKEN_TTL=3600",
                 "PASSWORD_FILE=/run/secrets/db npm start",
                 "export SSH_KEY_PATH=~/.ssh/id_ed25519",
                 "API_KEY_HEADER=X-Api-Key npm run dev",
                 "SECRET_NAME=db-credentials make show",
                 "test -n \"$API_TOKEN\" && echo set",
                 "curl -H \"Authorization: Bearer $TOKEN\" https://h/api",
                 "docker login -u ci --password-stdin registry.example < pw.txt",
                 "mysql -u root -p\"$MYSQL_PWD\" app < dump.sql",
                 "env | grep -c '^TOKEN'",
                 "printenv PATH",
                 "history | grep password | wc -l",
                 "man 5 passwd",
                 "tree -L 2 -I 'node_modules|secrets'",
                 "jq '.tokens | length' state.json",
                 "jq -r '.data.password_policy' cfg.json",
                 "yq '.spec.template.spec.containers[0].env' deploy.yaml",
                 "tar -czf backup.tar.gz keys/public",
                 "zip -r docs.zip docs -x '*password*'",
                 "unzip -l release.zip",
                 "gpg --list-keys",
                 "gpg --verify app.tar.gz.sig app.tar.gz",
                 "ansible-playbook site.yml --tags tokens --limit web1",
                 "ansible-vault view group_vars/all/vault.yml",
                 "systemctl status token-refresher.service",
                 "journalctl -u auth --since '1 hour ago' | grep -i secret",
                 "ps aux | grep token",
                 "ffmpeg -i in.mp4 -pass 1 -an -f null /dev/null",
                 "convert key.png -resize 64x64 key_small.png",
             })
            QTest::addRow("%s", command) << QByteArray(command);
    }
    void a_harmless_line_stays_as_it_is()
    {
        QFETCH(QByteArray, command);
        Event event = eventOf(command);
        maskSecrets(event);
        QCOMPARE(QByteArray::fromStdString(event.command), command);
        QVERIFY(!event.masked);
    }

    void a_secret_goes_and_nothing_else_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command : {
                 "export DB_PASSWORD=@@",
                 "export API_KEY='@@' && npm start",
                 "AWS_SECRET_ACCESS_KEY=@@ aws s3 ls",
                 "GITHUB_TOKEN=@@ gh pr list",
                 "PGPASSWORD=@@ psql -h db -U app app",
                 "MYSQL_PWD=@@ mysqldump app > a.sql",
                 "NPM_TOKEN=@@ npm publish",
                 "echo 'DB_PASSWORD=@@' >> .env",
                 "echo \"API_TOKEN=@@\" > .env.local",
                 "printf 'SECRET_KEY=%s\\n' '@@' >> .env",
                 "cat > .env <<'EOF'\nPORT=80\nDB_PASSWORD=@@\nEOF",
                 "docker run -e POSTGRES_PASSWORD=@@ -p 5432:5432 postgres:16",
                 "docker run --env 'API_KEY=@@' app",
                 "docker login -u ci -p @@ registry.example",
                 "echo @@ | docker login -u ci --password-stdin registry.example",
                 "podman login --username ci --password @@ registry.example",
                 "docker build --build-arg NPM_TOKEN=@@ .",
                 "kubectl create secret generic db --from-literal=password=@@",
                 "kubectl config set-credentials ci --token=@@",
                 "kubectl --token=@@ get pods",
                 "helm install app charts/app --set db.password=@@",
                 "helm repo add acme https://h/charts --username ci --password @@",
                 "terraform apply -var 'db_password=@@'",
                 "TF_VAR_db_password=@@ terraform plan",
                 "curl -u admin:@@ https://h/api",
                 "curl -H 'Authorization: Bearer @@' https://h/api",
                 "curl -H \"Authorization: token @@\" https://api.h/user",
                 "curl -H 'X-API-Key: @@' https://h/v1",
                 "curl 'https://h/api?access_token=@@&page=2'",
                 "curl -d '{\"user\":\"a\",\"password\":\"@@\"}' https://h/login",
                 "curl -d 'user=a&password=@@' https://h/login",
                 "curl --data-urlencode 'client_secret=@@' https://h/oauth/token",
                 "curl https://alice:@@@h.example/file",
                 "wget --user=alice --password=@@ https://h/f",
                 "wget --header='Authorization: Basic @@' https://h/f",
                 "http POST h/login password=@@",
                 "git clone https://ci:@@@h.example/app.git",
                 "git remote set-url origin https://oauth2:@@@h.example/app.git",
                 "git push https://@@@github.com/acme/app.git main",
                 "git -c http.extraHeader='Authorization: Bearer @@' fetch",
                 "psql postgresql://app:@@@db:5432/app -c 'select 1'",
                 "DATABASE_URL=postgres://app:@@@db/app npm run migrate",
                 "mysql -h db -uapp -p@@ app",
                 "mysqladmin --password=@@ status",
                 "mongodump --uri 'mongodb://app:@@@db/app'",
                 "redis-cli -a @@ ping",
                 "redis-cli -u redis://default:@@@cache:6379",
                 "sshpass -p @@ ssh host uptime",
                 "sshpass -p'@@' scp a host:/",
                 "aws configure set aws_secret_access_key @@",
                 "aws secretsmanager create-secret --name db --secret-string @@",
                 "gcloud secrets versions add db --data-file=- <<< '@@'",
                 "vault kv put secret/app password=@@",
                 "vault login @@",
                 "gh secret set API_KEY --body @@",
                 "gh auth login --with-token <<< @@",
                 "echo @@ | gh secret set API_KEY",
                 "heroku config:set SECRET_KEY=@@",
                 "flyctl secrets set DB_PASSWORD=@@",
                 "npm config set //registry.npmjs.org/:_authToken @@",
                 "echo '//registry.npmjs.org/:_authToken=@@' > .npmrc",
                 "pip install --index-url https://ci:@@@pypi.h/simple app",
                 "twine upload -u __token__ -p @@ dist/*",
                 "poetry config pypi-token.pypi @@",
                 "cargo publish --token @@",
                 "ansible-playbook site.yml -e 'db_password=@@'",
                 "ansible-playbook site.yml -e ansible_become_pass=@@",
                 "openssl pkcs12 -export -in c.pem -out c.p12 -passout pass:@@",
                 "openssl enc -aes-256-cbc -pass pass:@@ -in a -out b",
                 "gpg --batch --passphrase @@ -c notes.txt",
                 "7z a -p@@ out.7z notes",
                 "zip -P @@ out.zip notes",
                 "echo 'alice:@@' | chpasswd",
                 "htpasswd -bc users alice @@",

                 "python app.py --api-key @@ --port 80",
                 "node server.js --jwt-secret=@@",
                 "./deploy.sh --token '@@'",
                 "java -Dspring.datasource.password=@@ -jar app.jar",
                 "mvn deploy -Dgpg.passphrase=@@",
                 "ldapsearch -D cn=admin -w @@ -b dc=h",
                 "smbclient //h/s -U 'alice%@@'",
                 "rclone config create s s3 secret_access_key @@",
             })
            QTest::addRow("%s", command) << QByteArray(command);
    }
    void a_secret_goes_and_nothing_else()
    {
        QFETCH(QByteArray, command);
        const QByteArray secret = "hG7vQ2mXw9";
        Event event = eventOf(QByteArray(command).replace("@@", secret));
        maskSecrets(event);
        QVERIFY(event.masked);
        QByteArray shown = QByteArray::fromStdString(event.command);
        QVERIFY2(!shown.contains(secret), shown.constData());
        QByteArray expected = command;
        for (const char *mark : {"_MASKED_16_", "_MASKED_8_"})
            shown.replace(mark, "@@");
        shown.replace('\'', "").replace('"', ""); // which of the quotes stay is another question
        QCOMPARE(shown, expected.replace('\'', "").replace('"', ""));
    }

    /// Two words of one script look like one value: then more goes than must.
    void a_secret_in_a_script_may_take_its_neighbours_along()
    {
        Event event = eventOf("sed -i 's/^DB_PASSWORD=.*/DB_PASSWORD=hG7vQ2mXw9/' .env");
        maskSecrets(event);
        QVERIFY2(!event.command.contains("hG7vQ2mXw9") && event.command.ends_with("' .env"), event.command.c_str());
    }
};

QTEST_GUILESS_MAIN(TstSecretsEveryday)
#include "tst_secrets_everyday.moc"
