// SPDX-License-Identifier: Apache-2.0

// The console over a record of 1,000,000 rows, each start in a process of its own: from start to first paint and to
// the first rows of the log, what the process then holds in memory, and the processor time of the longest event of the
// GUI thread while somebody scrolls and filters. Peer: a window of Qt Widgets with an empty table.

#include "app/console/application.h"
#include "tests/bench/bench.h"
#include "tests/bench/large_record.h"
#include "tests/support/gateway.h"
#include "ui/log/filter_line.h"
#include "ui/log/log_table.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QMainWindow>
#include <QProcess>
#include <QScrollBar>
#include <QTableWidget>
#include <QTest>
#include <QThread>

using namespace portcullis;

namespace {

constexpr int starts = 7;
constexpr const char *startedAt = "PORTCULLIS_BENCH_START";

double sinceStart()
{
    return (bench::wallMicroseconds() - qgetenv(startedAt).toDouble()) / 1000;
}

double residentMegabytes()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray text = status.readAll();
    const qsizetype at = text.indexOf("VmRSS:");
    return text.mid(at + 6, text.indexOf("kB", at) - at - 6).trimmed().toDouble() / 1024;
}

/// Notes the first paint of a window, and what each event costs this thread.
class WatchedApplication : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject *receiver, QEvent *event) override
    {
        if (QThread::currentThread() != thread() || m_depth > 0)
            return QApplication::notify(receiver, event); // of another thread, or part of another event
        ++m_depth;
        const QByteArray what = QByteArray(receiver->metaObject()->className()) + " event "
            + QByteArray::number(static_cast<int>(event->type()));
        const bool paints =
            event->type() == QEvent::UpdateRequest || event->type() == QEvent::Expose || event->type() == QEvent::Paint;
        const double start = bench::threadMicroseconds();
        const bool done = QApplication::notify(receiver, event);
        const double taken = (bench::threadMicroseconds() - start) / 1000;
        --m_depth;
        if (taken > longest) {
            longest = taken;
            longestWhat = what;
        }
        if (paints && firstPaint == 0)
            firstPaint = sinceStart();
        return done;
    }

    double firstPaint = 0;
    double longest = 0;
    QByteArray longestWhat;

private:
    int m_depth = 0;
};

bool hasRows(const ui::LogTable &table)
{
    const QAbstractItemModel *model = table.model();
    const int last = model->rowCount() - 1;
    return last >= 0 && model->index(last, 0).data(ui::ExecLogModel::LoadedRole).toBool();
}

/// Somebody goes through the log: pages up and down, the ends, the middle, three filters.
void use(const QMainWindow &window, ui::LogTable &table)
{
    for (int i = 1; i <= 20; ++i) {
        table.scrollTo(table.model()->index(table.model()->rowCount() / 20 * i - 1, 0));
        QTest::qWait(20);
    }
    table.setFocus();
    for (const Qt::Key key :
         {Qt::Key_Home, Qt::Key_PageDown, Qt::Key_PageDown, Qt::Key_End, Qt::Key_PageUp, Qt::Key_P}) {
        QTest::keyClick(&table, key);
        QTest::qWait(50);
    }
    auto *filter = window.findChild<ui::FilterLine *>();
    for (const char *text : {"rule:rare-rule", "tenant:globex verdict:deny", "needle", ""}) {
        filter->setText(QString::fromLatin1(text));
        QTest::qWait(1500);
    }
}

int consoleChild(int argc, char **argv, const QStringList &places)
{
    WatchedApplication app(argc, argv);
    console::ConsoleOptions options;
    options.config = places.at(0).toStdString();
    options.policies = places.at(1).toStdString();
    options.auditDb = places.at(2).toStdString();
    console::Application console(options);
    console.start();
    QMainWindow *window = nullptr;
    for (QWidget *widget : QApplication::topLevelWidgets())
        window = window != nullptr ? window : qobject_cast<QMainWindow *>(widget);
    auto *table = window != nullptr ? window->findChild<ui::LogTable *>() : nullptr;
    if (table == nullptr || !QTest::qWaitFor([&] { return app.firstPaint > 0 && hasRows(*table); }, 60'000))
        return 1;
    const double rows = sinceStart();
    QTest::qWait(500);
    const double resident = residentMegabytes();
    app.longest = 0;
    if (places.size() > 3)
        use(*window, *table);
    std::printf("%f %f %f %f %f %s\n", app.firstPaint, rows, resident, app.longest, residentMegabytes(),
                app.longestWhat.constData());
    std::fflush(stdout);
    std::_Exit(0);
}

int plainChild(int argc, char **argv)
{
    WatchedApplication app(argc, argv);
    QMainWindow window;
    QTableWidget table(0, 9);
    window.setCentralWidget(&table);
    window.show();
    if (!QTest::qWaitFor([&] { return app.firstPaint > 0; }, 60'000))
        return 1;
    std::printf("%f %f\n", app.firstPaint, residentMegabytes());
    std::fflush(stdout);
    std::_Exit(0);
}

QList<QByteArray> child(const QStringList &words)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QString::fromLatin1(startedAt), QString::number(bench::wallMicroseconds(), 'f', 0));
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(), words);
    process.waitForFinished(180'000);
    const QList<QByteArray> parts = process.readAllStandardOutput().trimmed().split(' ');
    if (parts.size() < 2)
        qFatal("the child has failed");
    return parts;
}

} // namespace

int main(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QStringList words;
    for (int i = 1; i < argc; ++i)
        words << QString::fromLocal8Bit(argv[i]);
    if (!words.isEmpty() && words.first() == QLatin1StringView("--plain"))
        return plainChild(argc, argv);
    if (!words.isEmpty() && words.first() == QLatin1StringView("--console"))
        return consoleChild(argc, argv, words.mid(1));

    const QCoreApplication app(argc, argv);
    const test::Gateway gateway;
    if (!gateway.isValid() || !bench::makeLargeRecord(gateway.auditDb().toStdString()))
        return 1;
    qputenv("XDG_CONFIG_HOME", gateway.root().toUtf8()); // no layout of the person who measures
    const QStringList console{QStringLiteral("--console"), gateway.root() + QStringLiteral("/config.json"),
                              gateway.root() + QStringLiteral("/policies"), gateway.auditDb()};
    std::vector<double> paint;
    std::vector<double> rows;
    std::vector<double> resident;
    std::vector<double> plain;
    std::vector<double> plainResident;
    static_cast<void>(child(console)); // warm
    for (int i = 0; i < starts; ++i) {
        const QList<QByteArray> own = child(console);
        const QList<QByteArray> other = child({QStringLiteral("--plain")});
        paint.push_back(own.at(0).toDouble());
        rows.push_back(own.at(1).toDouble());
        resident.push_back(own.at(2).toDouble());
        plain.push_back(other.at(0).toDouble());
        plainResident.push_back(other.at(1).toDouble());
    }
    const double first = bench::median(paint);
    bench::row("console, start to first paint", {first, "ms"}, bench::Peer{"an empty window", bench::median(plain)},
               bench::atMost(400));
    bench::row("log page, 1,000,000 rows: first paint to first rows", {bench::median(rows) - first, "ms"}, {},
               bench::atMost(300));
    bench::row("console, resident with 1,000,000 rows", {bench::median(resident), "MB"},
               bench::Peer{"an empty window", bench::median(plainResident)}, bench::atMost(120));
    const QList<QByteArray> used = child(console + QStringList{QStringLiteral("--use")});
    bench::row("GUI thread, longest event while scrolling and filtering", {used.at(3).toDouble(), "ms"}, {},
               bench::atMost(20));
    bench::row("console, resident after that", {used.at(4).toDouble(), "MB"}, {}, bench::atMost(120));
    std::printf("longest event: %s\n", used.mid(5).join(' ').constData());
    return 0;
}
