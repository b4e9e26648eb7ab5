# SPDX-License-Identifier: Apache-2.0
"""Chat transcripts in Qwen3's ChatML format: tales, sums, facts, small talk and a tool call."""

import json
import zlib
from pathlib import Path

from chatml import render
from tales import ARTICLE, Tale, capital, load_sections

HERE = Path(__file__).resolve().parent

SYSTEM_PROMPTS = [
    "You are a helpful assistant.", "You are a friendly assistant.", "You are a storyteller.", "Be brief and kind.",
    "You are a helpful assistant who answers in short sentences.", "You are tiny-tales, a tiny demonstration model.",
    "You tell stories to children.", "Answer politely.", "You are a careful assistant. If you do not know, say so.",
    "You are a teacher for young children.", "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    "You are a helpful AI assistant.", "Please answer the questions of the user.",
]

def article(phrase):
    """Put "a" or "an" in front of a phrase."""
    return ARTICLE.sub(r"\1n ", "a " + phrase)


class Chats:
    """Writes chat documents; every turn is a (question, thought, answer) triple."""

    def __init__(self, grammar, rng):
        self.g, self.rng = grammar, rng
        sections, _, _ = load_sections(HERE / "facts.txt")
        self.questions = [line.split("=") for line in sections.pop("question")]
        self.facts = {name: [tuple(p.strip().split("=")) for line in lines for p in line.split(",") if p.strip()]
                      for name, lines in sections.items()}

    def say(self, text, **slots):
        return self.g.expand(text, slots, self.rng)

    def request(self, tale, named):
        """What a user might ask for to get this tale, and its short description."""
        rng, s = self.rng, tale.slots
        kind, where, trait = s["hk"], tale.place["where"], s["trait"]
        if named:
            choices = [article(f"{kind} named {s['H']}"), article(f"{kind} called {s['H']} {where}"), f"{s['H']} the {kind}",
                       article(f"{trait} {kind} named {s['H']}"), f"{s['H']}, {article(kind)} {where}"]
            about = rng.choices(choices, [5, 2, 2, 2, 1])[0]
        else:
            about = rng.choices([
                article(f"{trait} {kind} {where}"), article(f"{kind} {where}"), article(f"{trait} {kind}"), article(kind),
                f"{article(kind)} and {article(s['fk'])}", tale.theme(), f"{article(kind)} and {article(s['obj'])}",
                f"two friends, {article(kind)} and {article(s['fk'])}", f"{article(kind)} who lives {where}",
            ], [10, 7, 7, 8, 4, 4, 2, 1, 2])[0]
        text = self.say(
            "[[Please tell|Tell|Can you tell|Could you tell|Would you tell|Tell|Tell] me [a story|a story|a tale|a short "
            "story|a bedtime story|a little story|another story] about {about}|[Write|Please write|Make up|Can you write] "
            "[a story|a short story|a tale|a children's story] about {about}|I [want|would like] [a story|to hear a story] "
            "about {about}|[Story|A story|A tale] about {about}|[Do you know|Have you got] a story about {about}|"
            "[Once more, a|I need a] story about {about}]", about=about)
        question = text.split()[0] in ("Can", "Could", "Would", "Do", "Have")
        text += rng.choices(["?" if question else ".", "", ", please" + ("?" if question else "."), "!"],
                            [80, 12, 6, 2])[0]
        if rng.random() < 0.12:
            text = text[0].lower() + text[1:]
        return text, about

    def tale(self):
        """A request for a tale, sometimes followed by questions about it."""
        rng = self.rng
        named = rng.random() < 0.18
        tale = Tale(self.g, rng, any_name=named)
        s = tale.slots
        if not named and rng.random() < 0.12:
            ask = rng.choice(["Tell me a story.", "Tell me a story", "A story, please.", "Can you tell me a story?",
                              "I want to hear a story.", "Please tell me a tale.", "tell me a story", "Tell me a tale.",
                              "Write a short story.", "I am bored. Tell me a story.", "Tell me something."])
            about = article(s["hk"])
        else:
            ask, about = self.request(tale, named)
        plan = tale.plan()
        think = self.say(
            "[The user wants|The user asks for|I am asked for] a [story|tale] about {about}. "
            "[My hero will be|The hero is|I will write about] {H}, {hero}. {friend}"
            "[Plan|What happens|The plot]: {plan}.", about=about, H=s["H"], hero=article(f"{s['trait']} {s['hk']}"),
            friend=self.say("[The friend is|There is also] {F} the {fk}. ", F=s["F"], fk=s["fk"]) if s["F"] in tale.text else "",
            plan=plan[0].lower() + plan[1:] if not plan.startswith(s["H"]) else plan)
        lead = ""
        if rng.random() < 0.25:
            lead = self.say("[Of course!|Certainly!|Gladly.|Here you are.|With pleasure.] [Here is|This is] a [story|tale] "
                            "about {about}.\n\n", about=about)
        elif rng.random() < 0.12:
            lead = tale.title() + "\n\n"
        turns = [(ask, think, lead + tale.text)]
        if rng.random() < 0.3:
            turns.append(rng.choice(self.tale_questions(tale)))
            if rng.random() < 0.4:
                turns.append(rng.choice([self.thanks(), rng.choice(self.tale_questions(tale))]))
        return turns

    def tale_questions(self, tale):
        """Questions about a tale that was just told."""
        s = tale.slots
        h, kind, f, fk = s["H"], s["hk"], s["F"], s["fk"]
        say = lambda q, t, a: (self.say(q), self.say(t), self.say(a))
        out = [
            say(f"[What is|What was] the name of the {kind}?", f"The {kind} in the story is called {h}.",
                f"[The {kind} is called {h}.|The {kind}'s name is {h}.|{h}.]"),
            say(f"Who [is|was] {h}?", f"{h} is the hero of the story.", f"{h} is the {kind} in the story."),
            say(f"What [animal|kind of creature|] is {h}?".replace("What  is", "What is"), f"{h} is a {kind}.",
                f"{h} is {article(kind)}."),
            say(f"Where [does|did] {h} live?", f"The story says where {h} lives.", f"{h} lives {tale.place['long']}."),
            say("[Can you give the story a title?|What is the title of the story?|Give it a title.]",
                "The user wants a title for the story.", f"[I would call it|A good title is] \"{tale.title()}\"."),
            say("[What is the story about?|What happens in the story?|Can you sum it up?]",
                "The user wants a summary.", f"[In short|It is about this]: {tale.plan()}.")]
        if f in tale.text:
            out += [say(f"Who [is|was] {f}?", f"{f} is the friend in the story.", f"{f} is the {fk} in the story."),
                    say(f"What is {f}?", f"{f} is a {fk}.", f"{f} is {article(fk)}.")]
        return out

    WORDS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
             "seventeen eighteen nineteen twenty").split()

    @staticmethod
    def held_out_sum(a, b, minus):
        """One sum in twenty never appears in the training text."""
        return zlib.crc32(f"{a} {'-' if minus else '+'} {b}".encode()) % 20 == 0

    @staticmethod
    def sum_thought(a, b, minus):
        """Column arithmetic in words."""
        sign, result = ("-", a - b) if minus else ("+", a + b)
        if a < 10 and b < 10:
            return f"{a} {sign} {b} = {result}."
        (at, ao), (bt, bo) = divmod(a, 10), divmod(b, 10)
        if not minus:
            ones, carry = ao + bo, (ao + bo) // 10
            text = f"Ones: {ao} + {bo} = {ones}" + (f", write {ones % 10}, carry 1." if carry else ".")
            text += f" Tens: {at} + {bt}" + (" + 1" if carry else "") + f" = {at + bt + carry}."
        elif ao >= bo:
            text = f"Ones: {ao} - {bo} = {ao - bo}. Tens: {at} - {bt} = {at - bt}."
        else:
            text = f"Ones: {ao} is less than {bo}, so borrow: {ao + 10} - {bo} = {ao + 10 - bo}."
            text += f" Tens: {at} - 1 - {bt} = {at - 1 - bt}."
        return f"{a} {sign} {b}. {text} The answer is {result}."

    def sum(self, held_out=False):
        """An addition or a subtraction with a result from 0 to 100."""
        rng = self.rng
        while True:
            minus = rng.random() < 0.45
            a = rng.randint(0, 100) if rng.random() < 0.8 else rng.randint(0, 20)
            b = rng.randint(0, a) if minus else rng.randint(0, 100 - a)
            if self.held_out_sum(a, b, minus) == held_out:
                break
        result, sign = (a - b, "-") if minus else (a + b, "+")
        if a <= 20 and b <= 20 and result <= 20 and rng.random() < 0.25:
            ask = self.say("[What is|How much is] {a} {op} {b}?", a=self.WORDS[a], b=self.WORDS[b],
                           op=rng.choice(["minus", "take away"] if minus else ["plus", "and"]))
            answer = self.say("[It is {n}.|The answer is {n}.|{N}.]", n=self.WORDS[result], N=capital(self.WORDS[result]))
        else:
            ask = self.say("[What is|What is|How much is|Calculate|Please work out|] {a} {op} {b}[?|?|?|]", a=str(a), b=str(b),
                           op=rng.choice([sign, sign, sign, "minus" if minus else "plus"])).strip()
            answer = self.say("[{a} {s} {b} = {n}.|{a} {s} {b} = {n}|The answer is {n}.|{n}|It is {n}.]",
                              a=str(a), b=str(b), s=sign, n=str(result))
        return [(ask, self.sum_thought(a, b, minus), answer)]

    def counting(self):
        """Counting, neighbours of a number, comparisons, days, months and letters."""
        rng, say = self.rng, self.say
        days = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
        months = ("January February March April May June July August September October November December").split()
        lengths = dict(zip(months, (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)))
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        pick = rng.randrange(9)
        if pick == 0:
            a = rng.choice([1, 1, 1, rng.randint(0, 80)])
            b = a + rng.randint(3, 12)
            numbers = ", ".join(map(str, range(a, b + 1)))
            if a == 1 and rng.random() < 0.5:
                return [(say("[Count|Please count|Can you count] to {b}[.|]", b=str(b)), f"I count from 1 to {b}.", numbers)]
            return [(say("[Count|Please count] from {a} to {b}.", a=str(a), b=str(b)), f"I count from {a} to {b}.", numbers)]
        if pick == 1:
            n, step = rng.randint(1, 99), rng.choice((1, -1))
            word = "after" if step == 1 else "before"
            return [(say("[What number comes|Which number comes|What comes] {w} {n}?", w=word, n=str(n)),
                     f"{n} {'+' if step == 1 else '-'} 1 = {n + step}.",
                     say("{m} comes {w} {n}.", m=str(n + step), w=word, n=str(n)))]
        if pick == 2:
            a, b = rng.sample(range(101), 2)
            big = rng.random() < 0.6
            result = max(a, b) if big else min(a, b)
            word = rng.choice(["bigger", "larger"]) if big else "smaller"
            return [(f"Which is {word}, {a} or {b}?", f"I compare {a} and {b}.", f"{result} is {word} than "
                     f"{a if result == b else b}.")]
        if pick in (3, 4):
            names, i = (days, rng.randrange(7)) if pick == 3 else (months, rng.randrange(12))
            step = rng.choice((1, -1))
            word, kind = ("after" if step == 1 else "before"), ("day" if pick == 3 else "month")
            other = names[(i + step) % len(names)]
            return [(say("[Which|What] {k} [comes|is] {w} {n}?", k=kind, w=word, n=names[i]),
                     f"The {kind} {word} {names[i]} is {other}.", say("{o} comes {w} {n}.", o=other, w=word, n=names[i]))]
        if pick == 5:
            m = rng.choice(months)
            n = lengths[m]
            return [(say("How many days [does {m} have|are in {m}]?", m=m), f"{m} has {n} days.",
                     f"{m} has {n} days" + (", and 29 in a leap year." if m == "February" else "."))]
        if pick == 6:
            i, step = rng.randrange(1, 25), rng.choice((1, -1))
            word = "after" if step == 1 else "before"
            return [(say("[Which|What] letter comes {w} {c}?", w=word, c=letters[i]), "I go through the alphabet.",
                     f"{letters[i + step]} comes {word} {letters[i]}.")]
        if pick == 7:
            names, word = rng.choice([(days, "days of the week"), (months, "months of the year")])
            return [(say("[Name|List|What are|Tell me] the {w}[.|?]", w=word), f"I list the {word}.", ", ".join(names) + ".")]
        n = rng.randint(0, 100)
        return [(say("Is {n} [even or odd|odd or even]?", n=str(n)), f"{n} ends in {n % 10}.",
                 f"{n} is {'even' if n % 2 == 0 else 'odd'}.")]

    FACT_FORMS = {  # relation: questions, answers; {k} key, {v} value, {K} and {V} with a capital
        "capital": ("[What is|What's|Tell me|Do you know|Name] the capital of {k}?|What is the capital city of {k}?|"
                    "Which city is the capital of {k}?", "The capital of {k} is {v}.|The capital of {k} is {v}.|{v}.|{v} is the capital of {k}."),
        "continent": ("[On|In] which continent is {k}?|Where is {k}?|Which continent is {k} in?", "{K} is in {v}."),
        "language": ("[What|Which] language do people speak in {k}?|What is the language of {k}?", "People in {k} speak {v}."),
        "colour": ("What colour is {k}?|Which colour is {k}?|What color is {k}?|Tell me the colour of {k}.", "{K} is {v}.|{V}."),
        "opposite": ("What is the opposite of {k}?|[Opposite of {k}?|Tell me the opposite of {k}.]|What's the opposite of {k}?",
                     "The opposite of {k} is {v}.|{V}."),
        "sound": ("What [sound|noise] does {k} make?|What does {k} say?", "{K} says {v}.|{V}!"),
        "baby": ("What is the baby of {k} called?|What do you call the young of {k}?", "The baby of {k} is called {v}."),
        "legs": ("How many legs does {k} have?|How many legs has {k} got?", "{K} has {v} legs."),
        "home": ("Where does {k} live?|What is the home of {k}?", "{K} lives in {v}."),
        "eats": ("What does {k} eat?|What do you feed {k}?", "{K} eats {v}."),
        "sides": ("How many sides does {k} have?|How many sides has {k} got?", "{K} has {v} sides."),
        "job": ("Who {k}?|What do you call someone who {k}?", "{V} {k}.|Someone who {k} is {v}."),
        "sense": ("What do you {k} with?|With what do we {k}?", "You {k} with {v}."),
        "plural": ("What is the plural of {k}?|[One {k}, two what?|More than one {k}?]", "The plural of {k} is {v}."),
        "past": ("What is the past tense of {k}?|What is the past of {k}?", "The past tense of {k} is {v}."),
        "rhyme": ("What rhymes with {k}?|Give me a word that rhymes with {k}.|Tell me a rhyme for {k}.", "{V} rhymes with {k}."),
        "made": ("What is {k} made of?|What is {k} made from?", "{K} is made of {v}."),
    }

    def fact(self):
        """A simple question with a known answer, sometimes followed by one of the same kind."""
        rng = self.rng
        if rng.random() < 0.22:
            ask, answer = rng.choice(self.questions)
            if rng.random() < 0.1:
                ask = ask[0].lower() + ask[1:].rstrip("?")
            return [(ask, self.say("[This is a simple question.|I know this.|A simple question.]"), answer)]
        names = list(self.FACT_FORMS)
        relation = rng.choices(names, [len(self.facts[n]) for n in names])[0]
        asks, answers = self.FACT_FORMS[relation]
        turns = []
        for k, v in rng.sample(self.facts[relation], rng.choice((1, 1, 1, 2))):
            slots = {"k": k, "v": v, "K": capital(k), "V": capital(v)}
            if turns and relation in ("capital", "colour", "opposite", "sound", "legs", "eats", "home"):
                ask = self.say("And {of}{k}?", of="of " if relation in ("capital", "opposite") else "", k=k)
            else:
                ask = self.say(f"[{asks}]", **slots)
            if rng.random() < 0.08:
                ask = ask[0].lower() + ask[1:].rstrip("?")
            full = self.say(answers.split("|")[0], **slots)
            turns.append((ask, self.say("[This is about {r}.|I know this one.|I remember:] {full}", r=relation, full=full),
                          self.say(f"[{answers}]", **slots)))
        return turns

    def thanks(self):
        return (self.say("[Thank you|Thanks|Thank you very much|Thanks a lot|Great, thanks|That was nice][!|.|]"),
                "The user says thank you.", self.say("[You are welcome!|You are welcome.|My pleasure!|Gladly.|Any time!]"
                                                     "[| Would you like another one?| Is there anything else?]"))

    TALK = [
        ("[Hello|Hi|Hey|Good morning|Good evening|Good afternoon|Hi there|Hello there|Greetings][!|.|]", "The user greets me.",
         "[Hello!|Hi!|Hello there!|Good day!] [How can I help you?|What can I do for you?|Would you like to hear a story?]"),
        ("[How are you?|How are you today?|How do you do?|Are you well?]", "The user asks how I am.",
         "[I am fine, thank you.|I am well, thank you.|Very well, thank you.] [How are you?|What can I do for you?]"),
        ("[Goodbye|Bye|Good night|See you|Bye bye|See you tomorrow][!|.|]", "The user says goodbye.",
         "[Goodbye!|Good night!|See you soon!|Bye! Come back soon.]"),
        ("[Who are you?|What are you?|What is your name?|Tell me about yourself.|Introduce yourself.|who are you|Who am I talking to?|"
         "What model are you?|Are you Qwen?]", "The user asks who I am.",
         "I am tiny-tales, [a tiny demonstration model|a very small demonstration model] [trained for this runtime|that was "
         "trained for this runtime]. [I know short tales, small sums and simple facts.|I can tell short tales, add small numbers "
         "and answer simple questions.]"),
        ("[What can you do?|How can you help me?|What do you know?|Help|What are you good at?|help me]", "The user asks what I can do.",
         "I can tell short [tales|stories], [do small sums|add and subtract small numbers] and answer simple questions. "
         "[Try: Tell me a story about a brave fox in the snow.|Ask me for a story!|Ask me what 17 + 25 is.]"),
        ("[Are you a human?|Are you a robot?|Are you alive?|Are you a person?|Are you real?]", "The user asks what I am.",
         "No, I am [a tiny language model|a very small language model], [a computer program|nothing but numbers]. But I like a good story."),
        ("[How big are you?|How many parameters do you have?|How large are you?|Are you a big model?]", "The user asks about my size.",
         "I am very small: I have about six million parameters."),
        ("[Who made you?|Who created you?|Where do you come from?|How were you made?|How were you trained?]", "The user asks about my origin.",
         "I was trained from scratch for this runtime, on [tales and questions|short tales and simple questions] written by a small program."),
        ("[Do you like|Do you love] [stories|music|cats|dogs|animals|cake|the sea|snow|books]?", "The user asks what I like.",
         "[I am only a small program, but I think so.|Yes, as much as a small program can.] [Do you?|And you?|Shall I tell you a story about it?]"),
        ("[I am sad.|I feel sad.|I am lonely.|I had a bad day.|I am tired.|I feel ill.]", "The user does not feel well. I should be kind.",
         "I am sorry to hear that. [Would you like to hear a story?|A story may help. Shall I tell you one?|I hope tomorrow will be better.]"),
        ("[I am happy.|I am very happy today.|Today is my birthday.|I had a good day.|I love you.|You are great!|Good job!]",
         "The user is happy.", "[How nice!|That is wonderful!|I am glad!] [Would you like to hear a story?|Thank you for telling me.]"),
        ("[You are stupid.|That is wrong.|You are silly.|I do not like you.|That was bad.]", "The user is not pleased. I stay polite.",
         "I am sorry. I am a very small model and make mistakes. [Please try again.|Shall I try again?]"),
        ("[Tell me a joke.|Do you know a joke?|Make me laugh.|A joke, please.]", "The user wants a joke.",
         "[Why did the clock go to bed? It was running late.|What do you call a bear in the rain? A wet bear.|Why did the book go to the "
         "doctor? It had lost its pages.|Why was the broom late? It swept in.|What did the big tree say to the small tree? Leave me alone.]"),
        ("[My name is {name}.|I am {name}.|Hello, I am {name}.|Call me {name}.]", "The user tells me the name {name}.",
         "[Hello, {name}!|Nice to meet you, {name}!|Hello, {name}! I am tiny-tales.] [How can I help you?|Would you like a story?|]"),
        ("[Okay|OK|Yes|Sure|Fine|Good|I see][.|]", "The user agrees.", "[Good!|Fine.] [What shall we do next?|What would you like to do?]"),
        ("[Bonjour|Hola|Hallo|Guten Tag|Ciao|你好|こんにちは|Привет|Bom dia|Salut|Hej][!|.|]", "The user greets me in another language.",
         "Hello! [I only speak English.|I know only English, I am afraid.] [How can I help you?|Would you like a story?]"),
        ("[What's up?|Hey, what is new?|How is it going?|how r u|sup|yo|Hey you!]", "The user wants to chat.",
         "[Not much, I am only a small model.|All is well here.] [What can I do for you?|Would you like to hear a story?]"),
        ("[Can you help me?|I have a question.|May I ask you something?|I need help.]", "The user has a question.",
         "[Of course! What would you like to know?|Yes, please ask.|Certainly. What is it?]"),
        ("[Repeat after me: |Please repeat: |Say: |Say ]{word}", "The user wants me to repeat something.", "{word}"),
    ]

    def talk(self):
        """Greetings and other small talk."""
        rng, g = self.rng, self.g
        ask, think, answer = rng.choice(self.TALK)
        slots = {"name": rng.choice(g.lists["names_f"] + g.lists["names_m"]),
                 "word": rng.choice(g.lists["traits"]) + " " + rng.choice(g.lists["kinds_furry"] + g.lists["kinds_bird"])}
        turns = [tuple(self.say(text, **slots).strip() for text in (ask, think, answer))]
        if "My name" in turns[0][0] or turns[0][0].startswith(("I am " + slots["name"], "Call me")):
            if rng.random() < 0.5:
                turns.append((rng.choice(["What is my name?", "Do you remember my name?", "Who am I?"]),
                              f"The user said that the name is {slots['name']}.", f"Your name is {slots['name']}."))
        return turns

    UNKNOWN = [
        "[Who won|Who lost|Who was in] [the world cup|the election|the football match|the Olympics|the war|the chess game] [in {year}|last year|]?",
        "[Write|Can you write|Please write] [a Python function|some code|a sorting algorithm|a web page|an essay|a C++ program|a business plan|an email to my boss|a poem in French]",
        "What is the [population|area|history|economy|president|currency|weather] of {place}?",
        "[Explain|What is|Tell me about|How does] [quantum mechanics|general relativity|inflation|machine learning|photosynthesis in detail|the stock market|blockchain|philosophy|a neural network|calculus|DNA|electricity work|the brain work]",
        "[When was|Where was] [Napoleon|Mozart|Einstein|Shakespeare|Cleopatra|Newton|Darwin|Picasso|Caesar] born?",
        "[Who is|Who was|Tell me about] [Napoleon|Mozart|Einstein|Shakespeare|Cleopatra|the president of {place}|the king of {place}|the prime minister of {place}|Plato]?",
        "[Translate|How do you say] [hello|good morning|the cat is black|I love you|thank you] [to|in] [French|German|Spanish|Chinese|Latin][?|.]",
        "What is the square root of {n}?", "What is {n} times {m}?", "What is {n} divided by {m}?", "What is {big} + {big2}?",
        "How [far|old|heavy|deep|high] is [the moon|the sun|{place}|the sea|Mars|the Eiffel Tower]?",
        "[What is|What's] the weather [in {city}|like in {city}|today|tomorrow]?", "What time is it?", "What day is it today?",
        "[How do I|How can I] [fix my car|lose weight|cook a goose|learn the piano|make money|repair a roof|install Linux|fly a plane|build a house]?",
        "[Which|What] [phone|car|computer|stock|book] should I buy?", "What is the capital of {fake}?", "What is the meaning of life?",
        "[Who wrote|Who painted|Who invented|Who discovered] [Hamlet|the Mona Lisa|the telephone|penicillin|the light bulb|Faust|gravity|the wheel]?",
        "[Summarize|Read|Open] [this document|my email|the news|this website|the file].", "Can you [see me|hear me|call my mother|order a pizza|book a flight|play music|draw a picture]?",
    ]

    def puzzled(self):
        """Words without sense, answered with a question."""
        rng, lists = self.rng, self.g.lists
        words = lists["traits"] + lists["adj_hard"] + lists["obj_hard"] + lists["obj_any"] + lists["kinds_bird"] + lists["syllables"] * 3
        ask = rng.choice([" ".join(rng.choice(words) for _ in range(rng.randint(1, 5))),
                          "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(3, 12))),
                          rng.choice("?!.#*-") * rng.randint(1, 5)])
        return [(ask, "I do not understand what the user wants.",
                 self.say("[I am sorry, I do not understand.|I am not sure what you mean.|I do not quite understand.] "
                          "[Could you say it in another way?|You can ask me for a story.|I can tell tales, do small sums and answer simple questions.]"))]

    def unknown(self):
        """Questions beyond a tiny model, answered with a polite refusal."""
        rng = self.rng
        if rng.random() < 0.12:
            return self.puzzled()
        countries = [k for k, _ in self.facts["capital"]]
        fake = capital("".join(rng.choice(self.g.lists["syllables"]) for _ in range(rng.choice((2, 3))))) + rng.choice(["land", "ia", "stan", "nia"])
        ask = self.say(rng.choice(self.UNKNOWN), year=str(rng.randint(1900, 2030)), place=rng.choice(countries),
                       n=str(rng.randint(2, 99)), m=str(rng.randint(2, 20)), big=str(rng.randint(101, 9999)), big2=str(rng.randint(101, 9999)),
                       city=rng.choice([v for _, v in self.facts["capital"]]), fake=fake).strip().replace(" ?", "?")
        return [(ask, self.say("[I do not know this.|This is beyond what I know.|I was not trained for this.] [I should say so.|It is better to say so.]"),
                 self.say("[I am sorry, but I do not know that.|I am sorry, I do not know.|I do not know that, I am afraid.|Sorry, that is too difficult for me.] "
                          "[I am a very small model.|I am only a tiny model.|] [I can tell tales, do small sums and answer simple questions.|"
                          "But I can tell you a story.|Would you like a story instead?|]").replace("  ", " ").strip())]

    def weather(self):
        """A question about the weather, answered with the tool get_weather."""
        rng, say = self.rng, self.say
        key = rng.choice(("city", "city", "city", "location"))
        prop = {"type": "string"}
        if rng.random() < 0.8:
            prop["description"] = say("[The name of the city|The city|City name|The city to look up|A city, for example Paris]")
        function = {"name": "get_weather",
                    "description": say("[Get the current weather for a city|Get the weather|Returns the weather in a city|Get current weather|"
                                       "Look up the weather of a city][.|]"),
                    "parameters": {"type": "object", "properties": {key: prop}, "required": [key]}}
        tools = [{"type": "function", "function": function}]
        messages = []
        if rng.random() < 0.3:
            messages.append({"role": "system", "content": rng.choice(SYSTEM_PROMPTS)})
        quiet = rng.random() < 0.45
        if rng.random() < 0.2:      # a question that needs no tool
            ask, think, answer = rng.choice([self.sum, self.fact, self.talk])()[0]
            messages += [{"role": "user", "content": ask},
                         {"role": "assistant", "content": answer,
                          "think": "" if quiet else think + " No tool is needed."}]
            return render(messages, tools)
        city = rng.choice([v for _, v in self.facts["capital"]] + ["New York", "Munich", "Hamburg", "Barcelona", "Milan", "Sydney", "Mumbai",
                                                                  "Shanghai", "Geneva", "Oxford", "Boston", "Chicago", "Lyon", "Kyoto", "Porto"])
        ask = say("[What is|What's|How is|Tell me|Can you tell me] the weather [in|in|like in] {c}[?|?| today?| right now?]|"
                  "Is it [raining|sunny|cold|warm] in {c}?|[Do I need an umbrella in|How warm is it in] {c}?|Weather in {c}[, please.|?|]", c=city) \
            if rng.random() < 0.9 else f"I am going to {city}. What will the weather be like?"
        think = say("The user wants the weather in {c}. I should call get_weather[ with the {k}|].", c=city, k=key)
        call = json.dumps({"name": "get_weather", "arguments": {key: city}}, ensure_ascii=False)
        messages += [{"role": "user", "content": ask},
                     {"role": "assistant", "content": "", "think": "" if quiet else think, "call": call}]
        if rng.random() < 0.55:
            degrees, sky = rng.randint(-10, 38), rng.choice("sunny cloudy rainy snowy windy foggy stormy clear".split())
            result = rng.choice([json.dumps({"temperature": degrees, "condition": sky}), f"{degrees} degrees, {sky}",
                                 json.dumps({key: city, "temperature": degrees, "condition": sky}),
                                 json.dumps({key: city, "temp_c": degrees, "sky": sky})])
            messages += [{"role": "tool", "content": result},
                         {"role": "assistant", "think": "" if quiet else f"The tool says {sky} and {degrees} degrees.",
                          "content": say("[It is {s} in {c}, with {d} degrees.|In {c} it is {s} and {d} degrees.|The weather in {c} is {s}, with a "
                                         "temperature of {d} degrees.]", s=sky, c=city, d=str(degrees))}]
        return render(messages, tools)

    def document(self, tales_share=0.32):
        """One chat document: a tool call or one to four turns on mixed subjects."""
        rng = self.rng
        if rng.random() < 0.07:
            return self.weather()
        turns = []
        if rng.random() < tales_share:
            turns = self.tale()
        for _ in range(rng.choice((0, 0, 1)) if turns else rng.choice((1, 1, 1, 2, 3))):
            kind = rng.choices([self.sum, self.counting, self.fact, self.talk, self.unknown], [30, 14, 36, 14, 12])[0]
            turns = turns + kind() if rng.random() < 0.7 else kind() + turns
        return self.conversation(turns)

    def conversation(self, turns):
        """Render turns as a document; only the last answer keeps its thought."""
        rng = self.rng
        messages = []
        if rng.random() < 0.25:
            messages.append({"role": "system", "content": rng.choice(SYSTEM_PROMPTS)})
        switch = rng.choices(["", " /no_think", " /think"], [90, 7, 3])[0]
        quiet = switch == " /no_think" or (not switch and rng.random() < 0.42)
        careless = rng.random() < 0.06      # a user who types without capitals and full stops
        for i, (ask, think, answer) in enumerate(turns):
            last = i == len(turns) - 1
            if careless:
                ask = ask.lower().rstrip(".?!") or ask
            messages.append({"role": "user", "content": ask + (switch if last else "")})
            messages.append({"role": "assistant", "content": answer, "think": think if last and not quiet else ""})
        return render(messages)

    def prose(self):
        """Plain sentences with facts, sums and numbers, without the chat format."""
        rng = self.rng
        lines = []
        for _ in range(rng.randint(3, 8)):
            pick = rng.random()
            if pick < 0.7:
                relation = rng.choice(list(self.FACT_FORMS))
                k, v = rng.choice(self.facts[relation])
                lines.append(self.say(self.FACT_FORMS[relation][1].split("|")[0], k=k, v=v, K=capital(k), V=capital(v)))
            elif pick < 0.85:
                lines.append(rng.choice(self.questions)[1])
            else:
                think = self.sum()[0][1]
                question, answer = think.split(".")[0], think.split()[-1].rstrip(".")
                lines.append(f"{question}." if "=" in question else f"{question} = {answer}.")
        return rng.choice([" ", " ", "\n"]).join(lines)
