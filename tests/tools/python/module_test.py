# SPDX-License-Identifier: Apache-2.0
"""The module on the bundled model. Scalar kernels, so that a text is the same on every machine."""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy

import infer

PROMPT = "Once upon a time"


def setUpModule():
    global MODEL, PROGRAM
    MODEL = infer.load()
    PROGRAM = MODEL.compile(policy="scalar", context=256)


class ModelTest(unittest.TestCase):
    def test_knows_its_model(self):
        self.assertEqual((MODEL.name, MODEL.family, MODEL.vocabulary), ("tiny-tales", "qwen3", 4096))
        self.assertEqual(MODEL.context, 2048)

    def test_encodes_and_decodes(self):
        ids = MODEL.encode("Hello world<|im_end|>")
        self.assertEqual(ids, [3302, 847, 4091])
        self.assertEqual(MODEL.decode(ids), "Hello world<|im_end|>")
        self.assertEqual(MODEL.decode(numpy.array(ids, dtype=numpy.int32)), "Hello world<|im_end|>")

    def test_a_part_of_a_character_is_replaced(self):
        first = MODEL.encode("é")
        parts = [MODEL.decode([i]) for i in MODEL.encode("\N{THAI CHARACTER KO KAI}")]
        self.assertEqual(MODEL.decode(first), "é")
        self.assertTrue(all("\ufffd" in part for part in parts), parts)

    def test_renders_a_chat(self):
        text = MODEL.render_chat([{"role": "user", "content": "Hi"}], think=False)
        self.assertIn("<|im_start|>user\nHi<|im_end|>", text)

    def test_errors_have_the_codes_of_the_tools(self):
        with self.assertRaises(infer.Error) as missing:
            infer.load(pathlib.Path("/nowhere/none.gguf"))
        self.assertEqual(missing.exception.code, 3)
        self.assertIn("none.gguf", str(missing.exception))
        with self.assertRaises(infer.Error) as usage:
            MODEL.compile(kv_type="q5")
        self.assertEqual(usage.exception.code, 2)
        with self.assertRaises(infer.Error):
            infer.load("")


class ProgramTest(unittest.TestCase):
    def test_is_text_and_protobuf(self):
        self.assertIn("linear", PROGRAM.text)
        self.assertIn("scalar", PROGRAM.summary)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.pb"
            PROGRAM.save(path)
            self.assertEqual(path.read_bytes(), PROGRAM.protobuf)
            self.assertEqual(infer.Program.load(path).text, PROGRAM.text)
        with self.assertRaises(infer.Error) as error:
            PROGRAM.save("/nowhere/p.pb")
        self.assertIn("/nowhere/p.pb", str(error.exception))

    def test_placement_is_a_table_with_reasons(self):
        moved = MODEL.compile(policy="scalar", place=["name=layer.1/ffn/down_proj=simd"]).placement()
        for node in moved:
            move = node.name == "layer.1/ffn/down_proj"
            self.assertEqual(node.target, "simd" if move else "scalar", node)
            self.assertIn("given on the command line" if move else "policy scalar", node.decided_by)
        self.assertEqual(moved[0]._fields[0], "min_tokens")
        self.assertEqual({n.layer for n in moved}, set(range(-1, max(n.layer for n in moved) + 1)))

    def test_a_rule_without_effect_is_a_warning(self):
        self.assertTrue(any("rmsnorm_of_nothing" in w for w in MODEL.compile(place=["name=rmsnorm_of_nothing=simd"]).warnings))


class SessionTest(unittest.TestCase):
    def session(self):
        return MODEL.session(PROGRAM, threads=1)

    def test_iterates_over_pieces(self):
        stream = self.session().generate(PROMPT, max_tokens=24, temperature=0)
        pieces = list(stream)
        result = stream.result()
        self.assertGreater(len(pieces), 5)
        self.assertEqual("".join(pieces), result.text)
        self.assertEqual((result.reason, len(result.ids)), ("max_tokens", 24))
        self.assertEqual(result.prompt_tokens, len(MODEL.encode(PROMPT)))
        with self.assertRaises(StopIteration):
            next(stream)

    def test_takes_ids_and_gives_the_same_text(self):
        ids = MODEL.encode(PROMPT)
        texts = {
            self.session().generate(prompt, max_tokens=8, temperature=0).result().text
            for prompt in (PROMPT, ids, numpy.array(ids))
        }
        self.assertEqual(len(texts), 1)

    def test_a_seed_reproduces_a_text(self):
        first = self.session().generate(PROMPT, max_tokens=16, temperature=1.0).result()
        again = self.session().generate(PROMPT, max_tokens=16, temperature=1.0, seed=first.seed).result()
        self.assertEqual(first.text, again.text)

    def test_logits_are_arrays(self):
        session = self.session()
        logits = session.logits(MODEL.encode(PROMPT))
        self.assertEqual((logits.dtype, logits.shape), (numpy.float32, (MODEL.vocabulary,)))
        made = self.session().generate(PROMPT, max_tokens=4, temperature=0, logits=True, top_logprobs=2).result()
        self.assertEqual(made.logits.shape, (4, MODEL.vocabulary))
        self.assertEqual(made.logits.argmax(axis=1).tolist(), made.ids)
        numpy.testing.assert_array_equal(made.logits[0], logits)
        # Probabilities are those of the logits.
        expected = logits[made.ids[0]] - numpy.log(numpy.exp(logits.astype(numpy.float64)).sum())
        self.assertAlmostEqual(made.choices[0].logprob, expected, places=4)
        self.assertEqual([c.top[0].id for c in made.choices], made.ids)
        self.assertEqual(session.tokens, MODEL.encode(PROMPT))
        session.clear()
        self.assertEqual(session.tokens, [])

    def test_steps_several_sessions_at_once(self):
        engine = MODEL.engine(MODEL.compile(policy="scalar", context=128, sequences=2, invariant=True), sequences=2)
        a, b = engine.session(), engine.session()
        both = engine.step([(a, MODEL.encode(PROMPT)), (b, MODEL.encode("The dog"))])
        self.assertEqual(both.shape, (2, MODEL.vocabulary))
        with self.assertRaises(infer.Error):
            engine.session()
        with self.assertRaises(infer.Error):
            engine.step([(a, [1]), (a, [2])])
        a.clear()
        numpy.testing.assert_array_equal(a.logits(MODEL.encode(PROMPT)), both[0])

    def test_chats_with_a_schema(self):
        schema = {"type": "object", "properties": {"happy": {"type": "boolean"}}, "required": ["happy"]}
        made = self.session().chat(
            [{"role": "user", "content": "Are you happy?"}], think=False, temperature=0, json_schema=schema
        ).result()
        self.assertRegex(made.message["content"], r'^\{\s*"happy":\s*(true|false)\s*\}$')
        self.assertEqual(made.message["role"], "assistant")

    def test_chats_with_tools(self):
        tool = {
            "type": "function",
            "function": {
                "name": "get_weather",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
            },
        }
        messages = [{"role": "user", "content": "What is the weather in Paris?"}]
        session = self.session()
        made = session.chat(messages, think=False, temperature=0, tools=[tool], tool_choice="required").result()
        self.assertEqual(made.message["tool_calls"][0]["name"], "get_weather")
        messages += [made.message, {"role": "tool", "content": '{"weather": "sunny"}'}]
        again = session.chat(messages, think=False, temperature=0, tools=[tool], max_tokens=8).result()
        self.assertGreater(again.cached_tokens, 0)

    def test_refuses_what_it_does_not_know(self):
        session = self.session()
        with self.assertRaisesRegex(TypeError, "temprature"):
            session.generate(PROMPT, temprature=0)
        with self.assertRaisesRegex(TypeError, "tools"):
            session.generate(PROMPT, tools=[])
        with self.assertRaisesRegex(TypeError, "max_tokens"):
            session.generate(PROMPT, max_tokens="many")
        with self.assertRaisesRegex(ValueError, "role"):
            session.chat([{"content": "x"}])
        # None of them left the session busy.
        self.assertEqual(session.generate(PROMPT, max_tokens=1).result().reason, "max_tokens")

    def test_an_error_of_the_library_ends_the_iteration(self):
        with self.assertRaises(infer.Error) as error:
            list(self.session().generate("word " * 2000, max_tokens=1))
        self.assertEqual(error.exception.code, 4)


class ThreadTest(unittest.TestCase):
    def test_other_threads_run_while_the_model_does(self):
        session = MODEL.session(PROGRAM, threads=1)
        counted = 0
        stop = threading.Event()

        def count():
            nonlocal counted
            while not stop.is_set():
                counted += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        # Once more if other processes had the CPU.
        during = 0
        for _ in range(1000):
            before = counted
            session.logits([5] * 200)
            during = counted - before
            if during > 2:
                break
        stop.set()
        thread.join()
        self.assertGreater(during, 2)

    def test_a_session_is_used_by_one_stream_at_a_time(self):
        session = MODEL.session(PROGRAM, threads=1)
        stream = session.generate(PROMPT, max_tokens=200, ignore_end=True)
        with self.assertRaisesRegex(infer.Error, "still generating"):
            session.generate(PROMPT)
        with self.assertRaisesRegex(infer.Error, "still generating"):
            session.clear()
        stream.cancel()
        self.assertEqual(stream.result().reason, "cancelled")
        session.clear()

    def test_a_dropped_stream_is_cancelled(self):
        session = MODEL.session(PROGRAM, threads=1)
        stream = session.generate(PROMPT, max_tokens=200, ignore_end=True)
        next(stream)
        del stream
        self.assertLess(len(session.tokens), 200)

    def test_streams_of_two_sessions_interleave(self):
        engine = MODEL.engine(MODEL.compile(policy="scalar", context=128, sequences=2), sequences=2)
        alone = engine.session().generate(PROMPT, max_tokens=16, temperature=0).result().text
        streams = [engine.session().generate(PROMPT, max_tokens=16, temperature=0) for _ in range(2)]
        self.assertEqual([s.result().text for s in streams], [alone, alone])

    def run_python(self, code):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)

    def test_the_interpreter_ends_while_a_stream_runs(self):
        made = self.run_python(
            "import infer; s = infer.load().session(); g = s.generate('Once', max_tokens=100000, ignore_end=True); next(g)"
        )
        self.assertEqual((made.returncode, made.stderr), (0, ""))

    def test_ctrl_c_ends_the_wait(self):
        made = self.run_python(
            "import infer, os, signal, threading\n"
            "model = infer.load()\n"
            "g = model.session(model.compile(policy='scalar')).generate('Once', max_tokens=2000, ignore_end=True)\n"
            "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try:\n    g.result()\nexcept KeyboardInterrupt:\n    g.cancel()\n    print(g.result().reason)\n"
        )
        # Not "max_tokens", the end that it would have had without.
        self.assertEqual((made.stdout, made.returncode), ("cancelled\n", 0), made.stderr)


class EmbedderTest(unittest.TestCase):
    def test_vectors_are_rows(self):
        embedder = MODEL.embedder(pooling="mean", policy="scalar", context=64, texts=2)
        rows = embedder.embed(["A dog ran.", "A dog ran home.", "Two plus two"])
        self.assertEqual((rows.dtype, rows.shape), (numpy.float32, (3, embedder.dimensions)))
        numpy.testing.assert_allclose(numpy.linalg.norm(rows, axis=1), 1, rtol=1e-5)
        self.assertGreater(rows[0] @ rows[1], rows[0] @ rows[2])
        numpy.testing.assert_array_equal(embedder.embed("A dog ran.").shape, (1, embedder.dimensions))
        self.assertEqual(embedder.embed(["x"], dimensions=8).shape, (1, 8))

    def test_a_model_without_pooling_is_refused(self):
        with self.assertRaises(infer.Error):
            MODEL.embedder().rerank("query", ["document"])


if __name__ == "__main__":
    unittest.main()
