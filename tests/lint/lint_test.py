#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lint must be able to fail: each check is shown a tree that breaks it and one that does not."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lint  # noqa: E402


class LintTest(unittest.TestCase):
    def tree(self, **files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            path = os.path.join(folder.name, name.replace("__", "/").replace("_h", ".h"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return folder.name

    def test_core_may_not_include_effects(self):
        root = self.tree(runner__plan__a_h='#include "runner/confinement/unique_fd.h"\n')
        self.assertEqual(len(list(lint.check_layers(root))), 1)

    def test_base_may_not_include_decision(self):
        root = self.tree(runner__base__a_h='#include "runner/decision/decision.h"\n')
        self.assertEqual(len(list(lint.check_layers(root))), 1)

    def test_ui_may_not_include_the_runner(self):
        root = self.tree(ui__log__a_h='#include "runner/audit/audit_reader.h"\n')
        self.assertEqual(len(list(lint.check_layers(root))), 1)

    def test_the_owner_of_a_descriptor_is_for_effects_alone(self):
        root = self.tree(runner__resources__a_h='#include "runner/confinement/unique_fd.h"\n#include "runner/confinement/paths.h"\n',
                         runner__shell__a_h='#include "runner/confinement/unique_fd.h"\n')
        self.assertEqual(len(list(lint.check_layers(root))), 2)

    def test_models_may_not_include_widgets(self):
        root = self.tree(ui__models__a_h='#include "ui/widgets/strip.h"\n')
        self.assertEqual(len(list(lint.check_layers(root))), 1)

    def test_the_arrows_of_the_design_pass(self):
        root = self.tree(runner__plan__a_h='#include "runner/decision/decision.h"\n', ui__log__a_h='#include "ui/models/m.h"\n',
                         app__a_h='#include "runner/audit/audit_reader.h"\n')
        self.assertEqual(list(lint.check_layers(root)), [])

    def test_files_and_clocks_are_found_in_the_core(self):
        root = self.tree(runner__shell__a_h="#include <QFile>\nauto t = std::chrono::system_clock::now();\n")
        self.assertEqual(len(list(lint.check_pure(root))), 2)

    def test_names_in_strings_are_no_effects(self):
        root = self.tree(runner__shell__a_cpp='const auto name = "os.getenv(";\n')
        self.assertEqual(list(lint.check_pure(root)), [])

    def test_a_missing_licence_is_found(self):
        self.assertEqual(len(list(lint.check_spdx(self.tree(app__a_h="int a;\n")))), 1)

    def test_a_long_file_is_found(self):
        self.assertEqual(len(list(lint.check_sizes(self.tree(app__a_h="\n" * 501)))), 1)
        self.assertEqual(list(lint.check_sizes(self.tree(app__a_h="\n" * 500))), [])

    def controls(self, *rows):
        """What the lint says about a page with these rows, of a tree with one function and one test."""
        page = "| control | where | test | state |\n| --- | --- | --- | --- |\n" + "".join(f"{row}\n" for row in rows)
        root = self.tree(**{"docs__controls.md": page, "runner__base__a.cpp": "int answer()\n",
                            "tests__unit__base__tst_a.cpp":
                                '#include "tests/unit/rows.h"\nvoid TstA::answers()\nrow("by day");\n',
                            "tests__unit__rows.h": 'row("at dusk");\n'})
        return list(lint.check_controls(root))

    def test_controls_that_are_shown_pass(self):
        self.assertEqual(self.controls('| a | `runner/base/a.cpp: answer` | `unit/tst_a::answers` "by day" | true |',
                                       '| a | `runner/base/a.cpp` | `unit/tst_a::answers` "at dusk" | true |',
                                       "| b | `runner/base/a.cpp` | none | untested |"), [])

    def test_controls_with_names_that_are_gone_are_found(self):
        for row in ("| a | `runner/base/b.cpp` | `unit/tst_a::answers` | true |",
                    "| a | `runner/base/a.cpp: question` | `unit/tst_a::answers` | true |",
                    "| a | `runner/base/a.cpp` | `unit/tst_a::asks` | true |",
                    "| a | `runner/base/a.cpp` | `unit/tst_b::answers` | true |",
                    "| a | `runner/base/a.cpp` | `ui/tst_a::answers` | true |",
                    '| a | `runner/base/a.cpp` | `unit/tst_a::answers` "by night" | true |'):
            self.assertEqual(len(self.controls(row)), 1, row)

    def test_a_control_without_a_test_is_not_called_true(self):
        self.assertEqual(len(self.controls("| a | `runner/base/a.cpp` | none | true |")), 1)

    def test_an_unknown_state_of_a_control_is_found(self):
        self.assertEqual(len(self.controls("| a | `runner/base/a.cpp` | `unit/tst_a::answers` | surely |")), 1)


if __name__ == "__main__":
    unittest.main()
