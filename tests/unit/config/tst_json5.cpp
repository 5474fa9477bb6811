// SPDX-License-Identifier: Apache-2.0
#include "runner/base/invisible.h"
#include "runner/base/utf8.h"
#include "runner/config/json5.h"

#include <QTest>

#include <cmath>

using namespace portcullis;
using namespace portcullis::config;
using Code = JsonError::Code;

Q_DECLARE_METATYPE(portcullis::config::JsonError::Code)

namespace {

QByteArray repeated(const char *text, int times)
{
    return QByteArray(text).repeated(times);
}

std::string strict(const QByteArray &text)
{
    const auto value = readJson5(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    return value ? writeJson(*value)
                 : "error at " + std::to_string(value.error().place.line) + ":"
            + std::to_string(value.error().place.column) + " " + value.error().found;
}

} // namespace

class TstJson5 : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_every_form_of_the_specification_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("json");
        const auto row = [](const char *name, const QByteArray &text, const QByteArray &json) {
            QTest::newRow(name) << text << json;
        };
        row("plain JSON", "{\"a\":[1,2.5,-3e2,true,false,null,\"x\"]}", "{\"a\":[1,2.5,-300,true,false,null,\"x\"]}");
        row("a bare value", "  'x' ", "\"x\"");
        row("line and block comments", "// one\n/* two\n * */ {a /**/:/* x */ 1, // y\n}\n//end", "{\"a\":1}");
        row("a comment that ends with the text", "1 //", "1");
        row("comment ended by U+2028", "// x\xE2\x80\xA8 1", "1");
        row("trailing commas", "[1,[2,],{a:1,},]", "[1,[2],{\"a\":1}]");
        row("empty containers", "[{ },[ ]]", "[{},[]]");
        row("unquoted keys", "{$a:1,_b:2,c9:3,true:4,null:5,\xC3\xA4:6}",
            "{\"$a\":1,\"_b\":2,\"c9\":3,\"true\":4,\"null\":5,\"\xC3\xA4\":6}");
        row("key with an escape", "{\\u0061b: 1, a\\u0062c: 2}", "{\"ab\":1,\"abc\":2}");
        row("key with joiner and mark", "{a\xCC\x81: 1, b\xE2\x80\x8D: 2}", "{\"a\xCC\x81\":1,\"b\\u200d\":2}");
        row("quoted keys", "{'a b':1,\"\":2}", "{\"a b\":1,\"\":2}");
        row("quotes inside the other quotes", "['\"', \"'\"]", "[\"\\\"\",\"'\"]");
        row("escapes", "'\\b\\f\\n\\r\\t\\v\\0\\x41\\u0042\\'\\\"\\\\\\/\\q'",
            "\"\\u0008\\u000c\\n\\r\\t\\u000b\\u0000AB'\\\"\\\\/q\"");
        row("surrogate pair", "'\\uD83D\\uDE00'", "\"\xF0\x9F\x98\x80\"");
        row("continued lines", "'a\\\nb\\\r\nc\\\rd\\\xE2\x80\xA9 e'", "\"abcd e\"");
        row("U+2028 inside a string", "'\xE2\x80\xA8'", "\"\\u2028\"");
        row("numbers", "[0,-0,+1,.5,5.,-.5e1,0x1F,-0Xa,1E+2,0.0]", "[0,0,1,0.5,5,-5,31,-10,100,0]");
        row("numbers that JSON lacks", "[Infinity,-Infinity,+Infinity,NaN,-NaN]", "[null,null,null,null,null]");
        row("every kind of white space",
            "\xEF\xBB\xBF\t\v\f \xC2\xA0\xE2\x80\xA8\xE2\x80\xA9\xE3\x80\x80\xE1\x9A\x80[\r\n1\r]", "[1]");
        row("a name like a prototype is a key like any other", "{__proto__:1}", "{\"__proto__\":1}");
        row("nesting of 64", repeated("[", 64) + repeated("]", 64), repeated("[", 64) + repeated("]", 64));
    }

    void reads_every_form_of_the_specification()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, json);
        QCOMPARE(strict(text), json.toStdString());
        QCOMPARE(strict(json), json.toStdString());
    }

    void refuses_with_the_exact_place_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<Code>("code");
        QTest::addColumn<quint32>("line");
        QTest::addColumn<quint32>("column");
        QTest::addColumn<QByteArray>("found");
        const auto row = [](const char *name, const QByteArray &text, Code code, quint32 line, quint32 column,
                            const QByteArray &found) {
            QTest::newRow(name) << text << code << line << column << found;
        };
        row("nothing at all", "", Code::UnexpectedEnd, 1, 1, "");
        row("only a comment", "// x\n", Code::UnexpectedEnd, 2, 1, "");
        row("open object points at its brace", "\n {a:1", Code::UnexpectedEnd, 2, 2, "{");
        row("open array", "[1,\n[2,", Code::UnexpectedEnd, 2, 1, "[");
        row("open string", "{a:\n  'x\n}", Code::UnexpectedEnd, 2, 3, "'x");
        row("string with a backslash at the end", "'x\\", Code::UnexpectedEnd, 1, 3, "\\");
        row("open comment", "[/* x", Code::UnexpectedEnd, 1, 2, "/*");
        row("single slash", "[/ 1]", Code::Syntax, 1, 2, "/");
        row("key without a value", "{a}", Code::Syntax, 1, 3, "}");
        row("key and end", "{a", Code::UnexpectedEnd, 1, 2, "a");
        row("value missing", "{a:,}", Code::Syntax, 1, 4, ",");
        row("missing comma", "{a:1\r\nbcd:2}", Code::MissingComma, 2, 1, "bcd");
        row("missing comma after CR alone", "{a:1\rb:2}", Code::MissingComma, 2, 1, "b");
        row("missing comma before a quoted key", "{a:1 \"b c\":2}", Code::MissingComma, 1, 6, "\"b c\"");
        row("missing comma in a list", "[1 {}]", Code::MissingComma, 1, 4, "{");
        row("a wrong closing bracket is no missing comma", "{a:1]", Code::Syntax, 1, 5, "]");
        row("only a comma", "[,]", Code::Syntax, 1, 2, ",");
        row("two commas", "[1,,2]", Code::Syntax, 1, 4, ",");
        row("wrong bracket", "[1}", Code::Syntax, 1, 3, "}");
        row("second value", "{} []", Code::Syntax, 1, 4, "[");
        row("unknown word", "[yes]", Code::Syntax, 1, 2, "yes");
        row("word in the wrong case", "[True]", Code::Syntax, 1, 2, "True");
        row("key that starts with a digit", "{1a:1}", Code::Syntax, 1, 2, "1a");
        row("NUL byte", QByteArray("[\0]", 3), Code::Syntax, 1, 2, QByteArray("\0", 1));
        row("column counts bytes", "['\xC3\xA4', x]", Code::Syntax, 1, 8, "x");
        row("octal", "[010]", Code::BadNumber, 1, 2, "010");
        row("number runs into a word", "[3in]", Code::BadNumber, 1, 2, "3in");
        row("two points", "[1.2.3]", Code::BadNumber, 1, 2, "1.2.");
        row("point alone", "[.]", Code::BadNumber, 1, 2, ".");
        row("exponent alone", "[1e]", Code::BadNumber, 1, 2, "1e");
        row("hexadecimal alone", "[0x]", Code::BadNumber, 1, 2, "0x]");
        row("sign alone", "[-]", Code::BadNumber, 1, 2, "-");
        row("no double can hold it", "[1e999]", Code::BadNumber, 1, 2, "1e999");
        row("long name of infinity", "[Infinityx]", Code::BadNumber, 1, 2, "Infinityx");
        row("digit escape", "['\\1']", Code::BadEscape, 1, 3, "\\1");
        row("octal escape", "['\\01']", Code::BadEscape, 1, 3, "\\0");
        row("short hex escape", "['\\x4']", Code::BadEscape, 1, 3, "\\x4'");
        row("short unicode escape", "['\\u12']", Code::BadEscape, 1, 3, "\\u12']");
        row("lone high surrogate", "['\\uD83D']", Code::BadEscape, 1, 3, "\\uD83D");
        row("lone low surrogate", "['\\uDE00']", Code::BadEscape, 1, 3, "\\uDE00");
        row("escape that makes a bad key", "{\\u0020:1}", Code::BadEscape, 1, 2, "\\u0020");
        row("duplicate key", "{a:1,\n 'a':2}", Code::DuplicateKey, 2, 2, "a");
        row("duplicate key by escape", "{ab:1,\"\\u0061b\":2}", Code::DuplicateKey, 1, 7, "ab");
        row("first of several duplicates", "{b:1,a:1,a:2,b:2}", Code::DuplicateKey, 1, 10, "a");
        row("bytes that are no UTF-8", "{a:1} // \xFF", Code::BadUtf8, 1, 10, "\xFF");
        row("overlong slash", "['\xC0\xAF']", Code::BadUtf8, 1, 3, "\xC0");
        row("encoded surrogate", "['\xED\xA0\x80']", Code::BadUtf8, 1, 3, "\xED");
        row("cut character", "'\xE2\x82", Code::BadUtf8, 1, 2, "\xE2\x82");
        row("nesting of 65", repeated("[", 65) + repeated("]", 65), Code::TooDeep, 1, 65, "[");
    }

    void refuses_with_the_exact_place()
    {
        QFETCH(QByteArray, text);
        const auto value = readJson5(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        QVERIFY(!value);
        QFETCH(Code, code);
        QFETCH(quint32, line);
        QFETCH(quint32, column);
        QFETCH(QByteArray, found);
        QCOMPARE(value.error().code, code);
        QCOMPARE(QByteArray::fromStdString(value.error().found), found);
        QCOMPARE(value.error().place.line, line);
        QCOMPARE(value.error().place.column, column);
    }

    void hostile_texts_end_soon_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<Code>("code");
        QTest::newRow("a million open brackets") << repeated("[", 1'000'000) << Code::TooDeep;
        QTest::newRow("a million open objects") << repeated("{a:", 1'000'000) << Code::TooDeep;
        QTest::newRow("more values than allowed") << "[" + repeated("1,", 600'000) + "]" << Code::TooLarge;
        QTest::newRow("more bytes than allowed") << repeated(" ", (16 << 20) + 1) << Code::TooLarge;
        QTest::newRow("many equal keys") << "{" + repeated("k:1,", 400'000) + "}" << Code::DuplicateKey;
        QTest::newRow("comments without end") << repeated("/* ", 1'000'000) << Code::UnexpectedEnd;
        QTest::newRow("a string without end") << "'" + repeated("\\\\", 1'000'000) << Code::UnexpectedEnd;
        QTest::newRow("a number of a million digits and a word") << repeated("9", 1'000'000) + "x" << Code::BadNumber;
    }

    void hostile_texts_end_soon()
    {
        QFETCH(QByteArray, text);
        QFETCH(Code, code);
        const auto value = readJson5(text.toStdString());
        QVERIFY(!value);
        QCOMPARE(value.error().code, code);
        QVERIFY(value.error().found.size() <= 40);
    }

    void every_cut_and_every_changed_byte_gives_a_value_or_a_place_inside_the_text()
    {
        const std::string good = "/*c*/{a:[1,.5e3,0x1F,'\\u00e4\\x41\\\n',\"\xC3\xA4\"],$b:{c:null,},d:-Infinity}//\n";
        QVERIFY(readJson5(good));
        const auto inside = [](const std::string &text) {
            const auto value = readJson5(text);
            return value || (value.error().place.offset <= text.size() && value.error().place.line >= 1);
        };
        for (std::size_t i = 0; i < good.size(); ++i) {
            QVERIFY(inside(good.substr(0, i)));
            for (int byte = 0; byte < 256; ++byte) {
                std::string changed = good;
                changed[i] = static_cast<char>(byte);
                QVERIFY(inside(changed));
            }
        }
    }

    void every_value_knows_where_it_stands()
    {
        const std::string text = "{\n  a: 'x',\r\n  \"b\": [10,\n    {c: true}]\n}";
        const auto value = readJson5(text);
        QVERIFY(value);
        const Json *a = value->find("a");
        const Json *b = value->find("b");
        QVERIFY(a && b && !value->find("c") && !a->find("x"));
        QCOMPARE(a->place.line, 2U);
        QCOMPARE(a->place.column, 6U);
        QCOMPARE(text.substr(a->place.offset, a->end - a->place.offset), std::string("'x'"));
        QCOMPARE(b->array[0].place.line, 3U);
        QCOMPARE(b->array[0].place.column, 9U);
        const Json *c = b->array[1].find("c");
        QVERIFY(c);
        QCOMPARE(c->place.line, 4U);
        QCOMPARE(b->array[1].object[0].keyPlace.column, 6U);
        QCOMPARE(text.substr(b->place.offset, b->end - b->place.offset), std::string("[10,\n    {c: true}]"));
        QCOMPARE(value->end, static_cast<std::uint32_t>(text.size()));
    }

    void numbers_keep_their_spelling()
    {
        const auto value = readJson5("[+0x10, 1.50]");
        QVERIFY(value);
        QCOMPARE(value->array[0].string, std::string("+0x10"));
        QCOMPARE(value->array[0].number, 16.0);
        QCOMPARE(value->array[1].string, std::string("1.50"));
    }

    void sorted_text_is_the_same_whatever_the_order_and_form()
    {
        const auto one = readJson5("{b: 1.0, a: {d: [2, 1], c: 'x'}}");
        const auto two = readJson5("{\"a\": {\"c\": \"\\u0078\", \"d\": [0x2, +1]}, /* b */ \"b\": 1}");
        QVERIFY(one && two);
        QCOMPARE(writeJson(*one, true), std::string("{\"a\":{\"c\":\"x\",\"d\":[2,1]},\"b\":1}"));
        QCOMPARE(writeJson(*one, true), writeJson(*two, true));
        QVERIFY(writeJson(*one) != writeJson(*two));
    }

    void a_quoted_text_cannot_act_on_a_terminal()
    {
        QCOMPARE(quoteJson("\x1b[2J\x7f\xC2\x9B\xE2\x80\xAE\xE2\x80\x8B\xEF\xBB\xBF"),
                 std::string("\"\\u001b[2J\\u007f\\u009b\\u202e\\u200b\\ufeff\""));
        QCOMPARE(quoteJson("a\xFFz\xE2\x82"), std::string("\"a\xEF\xBF\xBDz\xEF\xBF\xBD\""));
        QCOMPARE(quoteJson("\"\\/\n\xF0\x9F\x98\x80"), std::string("\"\\\"\\\\/\\n\xF0\x9F\x98\x80\""));
    }

    void every_invisible_character_is_escaped_and_no_other()
    {
        for (char32_t c = 0; c < 0xE2000; c = c == 0x2FFFF ? 0xE0000 : c + 1) {
            if (c >= 0xD800 && c <= 0xDFFF)
                continue;
            std::string text;
            appendUtf8(text, c);
            const std::string quoted = quoteJson(text);
            const bool escaped = quoted != '"' + text + '"';
            if (escaped != (isInvisible(c) || c == '"' || c == '\\'))
                QFAIL(qPrintable(QString::number(c, 16)));
            if (!escaped)
                continue;
            const auto read = readJson5(quoted);
            QVERIFY2(read && read->string == text, quoted.c_str());
        }
    }

    void numbers_are_written_so_that_they_read_back_the_same()
    {
        for (const double number : {0.1, 1e21, 4294967296.0, -2.5e-8, 123456789012345680.0, 1.7976931348623157e308}) {
            const auto value = readJson5(writeJsonNumber(number));
            QVERIFY(value);
            QCOMPARE(value->number, number);
        }
    }
};

QTEST_GUILESS_MAIN(TstJson5)
#include "tst_json5.moc"
