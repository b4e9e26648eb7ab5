# SPDX-License-Identifier: Apache-2.0
"""The type hints say what the module has, and nothing else."""

import ast
import pathlib
import unittest

import infer
import infer._infer as native


def stub():
    return ast.parse((pathlib.Path(infer.__file__).parent / "_infer.pyi").read_text())


def classes():
    return {node.name: node for node in stub().body if isinstance(node, ast.ClassDef)}


def names_of(body):
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


class HintsTest(unittest.TestCase):
    def test_the_package_is_marked_as_typed(self):
        self.assertTrue((pathlib.Path(infer.__file__).parent / "py.typed").exists())

    def test_every_class_and_function_has_a_hint(self):
        public = {name for name in dir(native) if not name.startswith("__")}
        self.assertEqual(public, set(classes()) | names_of(stub().body))

    def test_every_member_has_a_hint(self):
        for name, node in classes().items():
            held = getattr(native, name)
            real = {m for m in vars(held) if not m.startswith("_") or m in ("__iter__", "__next__")}
            self.assertEqual(real, names_of(node.body), name)

    def test_every_keyword_of_a_generation_is_accepted(self):
        model = infer.load()
        session = model.session(model.compile(policy="scalar", context=64, drafts=True))
        functions = {f.name: f for f in classes()["Session"].body if isinstance(f, ast.FunctionDef)}
        for name, prompt in (("generate", "a"), ("chat", [{"role": "user", "content": "a"}])):
            arguments = functions[name].args
            for keyword, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
                value = ast.literal_eval(default)
                options = {"max_tokens": 1, keyword.arg: value}
                if keyword.arg == "max_tokens":
                    options = {"max_tokens": 1}
                with self.subTest(name, keyword=keyword.arg):
                    getattr(session, name)(prompt, **options).result()


if __name__ == "__main__":
    unittest.main()
