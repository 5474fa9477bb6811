// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/code_names.h"
#include "runner/rules/code_writes.h"

#include <QTest>

using namespace portcullis;

class TstProgramTexts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writes_out_the_names_of_other_modules_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char *name, const char *language, const char *text, const char *expected) {
            QTest::newRow(name) << QByteArray(language) << QByteArray(text) << QByteArray(expected);
        };
        row("a module under another name", "python", "import requests as r;r.post(u)",
            "import requests as r;requests.post(u)");
        row("a function", "python", "from shutil import rmtree;rmtree(d)",
            "from shutil import rmtree;shutil.rmtree(d)");
        row("a function under another name", "python", "from os import environ as e;print(e)",
            "from os import environ as e;print(os.environ)");
        row("an import inside an expression", "python", "print(__import__('os').environ)", "print(os.environ)");
        row("an attribute by its name", "python", "print(getattr(os,'env'+'iron'))", "print(os.environ)");
        row("a variable", "python", "s=requests.Session();s.post(u)",
            "s=requests.Session();requests.Session().post(u)");
        row("a context", "python", "with httpx.Client() as c: c.post(u)",
            "with httpx.Client() as c: httpx.Client().post(u)");
        row("require", "node", "const r=require('node:https');r.request(u)", "const r=https;https.request(u)");
        row("destructuring", "node", "const {env: e}=process;f(e)", "const {env: e}=process;f(process.env)");
        row("an attribute of what was destructured", "node", "const {env}=process;f(env.HOME)",
            "const {env}=process;f(process.env.HOME)");
        row("a value of the environment is no alias of it", "python", "e=os.environ['HOME'];print(e)", "");
        row("a string is left alone", "python", "import os as o;print('o.environ')", "");
        row("a variable that is made of itself", "python", "a=a.b;a=a.b;f(a)", "");
        row("another language", "perl", "use Foo as f; f(1)", "");
    }
    void writes_out_the_names_of_other_modules()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        QCOMPARE(QByteArray::fromStdString(rules::withFullNames(language.toStdString(), text.toStdString())), expected);
    }

    void finds_the_files_that_a_text_writes_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char *language, const char *text, const char *expected) {
            QTest::newRow(text) << QByteArray(language) << QByteArray(text) << QByteArray(expected);
        };
        row("python", "open('a','w').write('b')", "a");
        row("python", "open('a').read()", "");
        row("python", "open(os.path.join(d, 'a'), mode='a')", "/a");
        row("python", "Path('a').write_text('b')", "a");
        row("python", "(Path.home() / '.a').write_text('b')", "/.a");
        row("python", "shutil.copy('a', 'b')", "b");
        row("python", "print(\"open('a','w')\")", "");
        row("node", "fs.writeFileSync('a', 'b')", "a");
        row("node", "fs.appendFileSync(os.homedir()+'/.a', 'b')", "/.a");
        row("node", "fs.readFileSync('a')", "");
        row("node", "fs.copyFileSync('a','b')", "b");
        row("perl", "open(F, \">>a\"); print F 1", "a");
        row("perl", "open my $f, '>', 'a'; print $f 1", "a");
        row("perl", "open my $f, '<', 'a'", "");
        row("ruby", "File.write('a', 'b')", "a");
        row("php", "file_put_contents('a', 'b');", "a");
        row("lua", "io.open('a','w'):write('b')", "a");
        row("awk", "{print > \"a\"}", "a");
        row("awk", "$1 > \"a\" {print}", "");
        row("awk", "{print > ENVIRON[\"HOME\"]\"/a\"}", "/a");
        row("sed", "s/x/y/gw a", "a");
        row("sed", "1w a", "a");
        row("sed", "s/w /x/", "");
    }
    void finds_the_files_that_a_text_writes()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        shell::EmbeddedCode code;
        code.language = language.toStdString();
        code.text.text = text.toStdString();
        QByteArrayList files;
        for (const shell::Value &file : rules::filesWrittenBy(code))
            files += QByteArray::fromStdString(file.text);
        QCOMPARE(files.join(' '), expected);
    }

    void a_long_text_ends_soon()
    {
        std::string calls;
        while (calls.size() < (1UL << 17U))
            calls += "open(";
        shell::EmbeddedCode code;
        code.language = "python";
        code.text.text = calls;
        QVERIFY(rules::filesWrittenBy(code).empty());
        QVERIFY(rules::withFullNames("python", calls).empty());
    }
};

QTEST_GUILESS_MAIN(TstProgramTexts)
#include "tst_program_texts.moc"
