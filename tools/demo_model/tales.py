# SPDX-License-Identifier: Apache-2.0
"""Short tales written from the hand-made grammar in tales.txt."""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Plots that depend on snow, rain, fog or a shore, and places where they make no sense.
ODD_PLACES = {"on the moon", "in space", "under the sea", "in the clouds"}
HOT_PLACES = {"in the desert", "in the jungle", "on an island"}
WEATHER_PLOTS = {"storm", "winter", "snowfriend", "island", "colours", "light", "fog", "seed"}
COLD_PLOTS = {"winter", "snowfriend", "colours", "fog"}

STRANGER_PLOTS = {"found", "sharing", "neighbour", "giant", "fog", "storm", "letter", "thief", "wish"}   # the friend is new

FEMALE = {"girl", "princess", "queen", "witch", "hen", "mermaid", "cow", "fairy"}
MALE = {"boy", "prince", "king", "wizard", "rooster", "ox", "postman", "knight", "peacock", "toy soldier"}
YOUNG = {"kitten", "puppy", "duckling", "chick", "boy", "girl", "child", "calf", "lamb", "piglet"}
HOOFED = {"deer", "goat", "lamb", "pony", "donkey", "calf", "piglet", "moose", "zebra", "giraffe", "camel",
          "llama", "yak", "horse", "sheep", "reindeer", "bison", "alpaca", "cow", "pig", "ox"}
BIG_FEET = {"elephant", "hippo", "rhino"}

# group of kinds -> (homes, verbs of motion, limb, limbs)
BODIES = {
    "kinds_small": (["burrow", "hole", "nest of moss", "little house"],
                    ["scurried", "scampered", "hurried", "crept"], "paw", "paws"),
    "kinds_furry": (["den", "hut", "little house", "barn"], ["trotted", "ran", "walked", "wandered"], "paw", "paws"),
    "kinds_bird": (["nest", "little house", "nest of straw"], ["fluttered", "flew", "hopped", "went"], "wing", "wings"),
    "kinds_pond": (["hut", "little house", "hollow"], ["crawled", "wandered", "went", "plodded"], "foot", "feet"),
    "kinds_bug": (["hollow stem", "little house", "tiny hut"], ["crawled", "hurried", "went", "flitted"], "leg", "legs"),
    "kinds_person": (["cottage", "house", "little house", "room"], ["walked", "ran", "hurried", "went"], "hand", "hands"),
    "kinds_magic": (["hut", "house", "little house", "tower"], ["went", "hurried", "wandered", "walked"], "hand", "hands"),
}
KIND_WEIGHTS = {"kinds_small": 5, "kinds_furry": 8, "kinds_bird": 6, "kinds_pond": 3, "kinds_bug": 3,
                "kinds_person": 7, "kinds_magic": 6}

PRONOUNS = {"m": ("he", "him", "his", "himself"), "f": ("she", "her", "her", "herself")}

# Values for the slots of single plots: one tuple per choice.
EXTRAS = {
    ("fear", "facing"): [
        ("the dark", "walking through the dark"), ("deep water", "swimming across deep water"),
        ("thunder", "going out into the thunder"), ("high places", "climbing up very high"),
        ("bridges", "crossing the shaky bridge"), ("strangers", "asking strangers for the way"),
        ("being alone", "going all alone"), ("big dogs", "walking past two big dogs"),
        ("narrow tunnels", "crawling through a narrow tunnel"), ("the wind", "walking into the wild wind"),
        ("ghosts", "going past the haunted house"), ("fire", "walking past a great fire")],
    ("build", "build2"): [("a treehouse", "the treehouse"), ("a boat", "the boat"), ("a bridge", "the bridge"),
                          ("a flying machine", "the flying machine"), ("a cart with a sail", "the cart"),
                          ("a tall tower", "the tower"), ("a windmill", "the windmill"), ("a long slide", "the slide"),
                          ("a swing", "the swing"), ("a bathtub with wheels", "the bathtub")],
    ("contest",): [("a great race",), ("a sack race",), ("a pancake race",), ("a lantern race",),
                   ("a race with wooden carts",), ("a spoon race",), ("a race around the hill",)],
    ("instr", "instr2"): [("an old fiddle", "the fiddle"), ("a little drum", "the drum"), ("a harp", "the harp"),
                          ("a dented trumpet", "the trumpet"), ("a wooden flute", "the flute"),
                          ("an accordion", "the accordion"), ("a guitar with three strings", "the guitar")],
    ("trouble", "fixed"): [
        ("My roof has a hole, and the rain falls on my bed", "My roof is whole again"),
        ("My brother went to sea, and he has not come back", "My brother is home again"),
        ("My garden has dried up", "My garden is full of flowers"),
        ("I have lost my voice and cannot sing any more", "My voice is back"),
        ("My mother is ill", "My mother is well again"),
        ("The river took my house away", "My house is standing again"),
        ("My well has run dry", "My well is full of water")],
    ("silent_thing",): [("the old bell",), ("the mill wheel",), ("the great clock",), ("the fountain",),
                        ("the weathercock",), ("the little stream",), ("the music box in the square",)],
    ("silent_cause", "silent_who"): [
        ("a mother duck on her nest", "the duck"), ("a young owl with a hurt wing", "the owl"),
        ("a lost kitten", "the kitten"), ("a tiny mouse with five babies", "the mouse"),
        ("a hedgehog that had come in from the cold", "the hedgehog"), ("a family of bats", "the oldest bat")],
    ("cure",): [("the blue flower that blooms at night",), ("a spoonful of mountain honey",),
                ("a drop of water from the silver spring",), ("a leaf from the oldest willow",),
                ("a red root that grows under the stones",), ("a handful of golden berries",)],
    ("noise_cause",): [
        ("an old owl trying on a pair of spectacles",), ("a hedgehog with its head in a jam jar",),
        ("a very small bear who was learning to play the drum",), ("a family of mice who were moving house",),
        ("a raccoon washing the dishes",), ("a kitten chasing its own shadow",), ("a goose with a cold",),
        ("a squirrel cracking nuts with a spoon",), ("a sleepy pigeon in a watering can",)],
    ("noise_cause0",): [("a thin mother mouse",), ("a mother squirrel",), ("a tired raccoon",), ("a small grey rat",)],
    ("big",): [("giant",), ("dragon",), ("troll",), ("bear",), ("monster",), ("mammoth",)],
    ("machine",): [("clock",), ("robot",), ("steam engine",), ("carousel",), ("music machine",), ("popcorn machine",),
                   ("printing press",), ("weather machine",), ("tractor",)],
    ("lot",): [("a whole field of strawberries",), ("a tree full of ripe cherries",), ("a cave full of honey",),
               ("a heap of nuts",), ("a hundred sweet pears",), ("a sack of gingerbread",), ("a barrel of apples",)],
    ("lotshort",): [("the eggs",), ("the apples",), ("the cakes for the feast",), ("the winter nuts",),
                    ("the pumpkins",), ("the cheeses",), ("the golden pears",), ("the honey jars",)],
    ("skill",): [("to skate",), ("to ride a bicycle",), ("to walk on stilts",), ("to ski",), ("to walk on a rope",),
                 ("to do a handstand",), ("to dance",), ("to juggle",), ("to jump over the brook",)],
    ("riddle", "answer", "riddlehint"): [
        ("What has hands but cannot clap?", "a clock", "Far away a bell was striking four."),
        ("What has teeth but cannot bite?", "a comb", "The wind was blowing through {his} untidy hair."),
        ("What gets wetter the more it dries?", "a towel", "Behind a house the washing was moving in the wind."),
        ("What can you catch but never throw?", "a cold", "Just then {he} had to sneeze."),
        ("What follows you all day and leaves you at night?", "a shadow", "The sun was low, and {his} dark shape lay long on the ground."),
        ("What has a neck but no head?", "a bottle", "Something made of glass was lying in the grass."),
        ("What runs all day and never gets tired?", "a river", "Somewhere {he} could hear water."),
        ("What is full of holes and still holds water?", "a sponge", "It was raining, and everything was dripping."),
        ("What has one eye but cannot see?", "a needle", "There was a hole in {his} coat that needed mending."),
        ("What can fill a room but takes up no space?", "light", "The sun was just coming through the clouds."),
        ("What breaks when you say its name?", "silence", "Nobody said a word."),
        ("What has many leaves but is not a tree?", "a book", "{He} had been reading until late in the night."),
        ("What grows bigger the more you take away from it?", "a hole", "A mole was digging beside the path.")],
    ("dish",): [("vegetable soup",), ("plum dumplings",), ("onion pie",), ("star cookies",), ("pepper stew",),
                ("apple strudel",), ("noodle soup",), ("spice cake",)],
    ("ingredient",): [("thyme",), ("mint",), ("cinnamon",), ("rosemary",), ("wild garlic",), ("saffron",), ("vanilla",)],
    ("good", "goodneed"): [("a hen", "had no eggs left"), ("a basket of eggs", "had no eggs left"),
                           ("a sack of flour", "had no flour left"), ("a jug of milk", "had no milk left")],
}

TITLES = ["{H} and the {Obj}", "The {Trait} {Hk}", "{H} and {F}", "The {Hk} and the {Fk}", "{H} the {Hk}",
          "The {Hk} Who Lived {Where}", "The Story of {H}", "{H} Finds a Friend", "How {H} Met {F}"]


def load_sections(path):
    """Split a grammar file into word lists, macros and plots."""
    lists, macros, plots = {}, {}, {}
    plot = target = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if not line.strip():
            target = None
        elif line.startswith("% "):
            target = lists.setdefault(line[2:].strip(), [])
        elif line.startswith("@ "):
            target = macros.setdefault(line[2:].strip(), [])
        elif line.startswith("== "):
            plot = plots[line[3:].strip()] = {"beats": []}
        elif line.startswith(("about: ", "plan: ")) and plot is not None:
            key, value = line.split(": ", 1)
            plot[key] = value.split(", ") if key == "about" else value
        elif line.startswith("- "):
            if target is None:
                target = []
                plot["beats"].append(target)
            target.append(line[2:].strip())
        else:
            target.append(line.strip())
    return lists, macros, plots


def split_items(lines):
    """Flatten a comma-separated word list."""
    return [item.strip() for line in lines for item in line.split(",") if item.strip()]


class Template:
    """A compiled template: [a|b] choices, {slot} values and <macro> expansions."""

    TOKEN = re.compile(r"[\[\]|]|\{\w+\}|<\w+>|[^\[\]|{}<>]+")
    cache = {}

    def __init__(self, text):
        self.tokens = self.TOKEN.findall(text)
        self.pos = 0
        self.tree = self.parse()

    def parse(self):
        """Parse alternatives up to the closing bracket; a list of branches."""
        branches, current = [], []
        while self.pos < len(self.tokens):
            token = self.tokens[self.pos]
            self.pos += 1
            if token == "[":
                current.append(self.parse())
            elif token == "]":
                break
            elif token == "|":
                branches.append(current)
                current = []
            else:
                current.append(token)
        branches.append(current)
        return branches

    @classmethod
    def get(cls, text):
        """The compiled form of a text, cached."""
        tree = cls.cache.get(text)
        if tree is None:
            tree = cls.cache[text] = cls(text).tree
        return tree


class Grammar:
    """Word lists, macros and plots, and the expansion of templates."""

    def __init__(self):
        lists, self.macros, self.plots = load_sections(HERE / "tales.txt")
        self.foods = [tuple(p.strip() for p in line.split(";")) for line in lists.pop("foods")]
        self.places = [self.parse_place(line) for line in lists.pop("places")]
        self.lists = {name: split_items(lines) for name, lines in lists.items()}

    @staticmethod
    def parse_place(line):
        """'asked; long form; short form; features; senses' as a dictionary."""
        where, long, short, feats, senses = (p.strip() for p in line.split(";"))
        return {"where": where, "long": long, "short": short, "feats": feats.split(", "),
                "senses": [s.strip() for s in senses.split(" / ")]}

    def expand(self, text, slots, rng):
        """Expand a template with the given slots."""
        out = []
        self.emit(Template.get(text), slots, rng, out)
        return "".join(out)

    def emit(self, branches, slots, rng, out):
        branch = branches[0] if len(branches) == 1 else branches[int(rng.random() * len(branches))]
        for part in branch:
            if isinstance(part, list):
                self.emit(part, slots, rng, out)
            elif part[0] == "{":
                value = slots[part[1:-1]]
                if isinstance(value, list):
                    value = value[int(rng.random() * len(value))]
                if "{" in value:
                    value = self.expand(value, slots, rng)
                out.append(value)
            elif part[0] == "<":
                options = self.macros[part[1:-1]]
                self.emit(Template.get(options[int(rng.random() * len(options))]), slots, rng, out)
            else:
                out.append(part)


SENTENCE = re.compile(r'(^|[.!?] |\n)("?)([a-z])')
ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU]|honest|hour)(?!uni|use|one|eu|Uni|One)")
QUESTION = re.compile(r'"((?:What (?!a )|Why |Who |Where |How (?:can|did|do|would) |May |Did |Do you |Are you |Is |Can '
                      r'|Could you |Would you |Will you |Have you |Has |Shall )[^".?!]*)[,.]"')


def polish(text):
    """Fix articles, spaces, question marks and capitals at the start of sentences."""
    text = ARTICLE.sub(r"\1n ", re.sub(r" +", " ", text).strip())
    text = QUESTION.sub(r'"\1?"', text)
    return SENTENCE.sub(lambda m: m[1] + m[2] + m[3].upper(), text)


def capital(text):
    return text[:1].upper() + text[1:]


class Tale:
    """One tale: its characters, its text and what can be asked about it."""

    def __init__(self, grammar, rng, any_name=False):
        """With any_name the hero may have any name, even an invented one; else each role has its own names."""
        self.g, self.rng, self.any_name = grammar, rng, any_name
        self.used_names, self.used_kinds = set(), set()
        self.slots = {}
        self.place = rng.choice(grammar.places)
        self.plot_name = self.choose_plot()
        self.plot = grammar.plots[self.plot_name]
        self.build_slots()
        self.text = self.write()

    def choose_plot(self):
        where, names = self.place["where"], list(self.g.plots)
        while True:
            name = self.rng.choice(names)
            if name in WEATHER_PLOTS and where in ODD_PLACES:
                continue
            if name in COLD_PLOTS and where in HOT_PLACES:
                continue
            return name

    def character(self, prefix, groups=None, gender=None, avoid=()):
        """Choose a kind, a gender and a name and fill the slots of one character."""
        rng, lists = self.rng, self.g.lists
        while True:
            names = list(groups or KIND_WEIGHTS)
            group = rng.choices(names, [KIND_WEIGHTS[n] for n in names])[0]
            kind = rng.choice(lists[group])
            if kind not in self.used_kinds and kind not in avoid:
                break
        self.used_kinds.add(kind)
        gender = "f" if kind in FEMALE else "m" if kind in MALE else gender or rng.choice("mf")
        names = lists["names_f" if gender == "f" else "names_m"]
        free = prefix == "h" and self.any_name
        pool = names if free else {"h": names[0::2], "f": names[1::4], "x": names[3::4]}[prefix]
        while True:
            name = rng.choice(pool)
            if free and rng.random() < 0.5:
                name = capital("".join(rng.choice(lists["syllables"]) for _ in range(rng.choice((2, 2, 3)))))
            if name.lower() != kind and not any(name in used or used in name for used in self.used_names):
                break
        self.used_names.add(name)
        homes, verbs, limb, limbs = BODIES[group]
        if kind in HOOFED:
            limb, limbs = "hoof", "hooves"
        elif kind in BIG_FEET:
            limb, limbs = "foot", "feet"
        he, him, his, himself = PRONOUNS[gender]
        p = {"h": "", "f": "f", "x": "x"}[prefix]
        self.slots.update({
            prefix.upper(): name, prefix + "k": kind, prefix.upper() + "k": kind.title(),
            prefix + "r": [name, name, f"the {kind}"], prefix.upper() + "r": [name, name, f"The {kind}"],
            p + "home": rng.choice(homes), p + "go": verbs, p + "paw": limb, p + "paws": limbs})
        if p:
            words = {p + "e": he, p.upper() + "e": he.title(), p + "im": him, p + "is": his,
                     p.upper() + "is": his.title(), p + "imself": himself}
        else:
            words = {"he": he, "He": he.title(), "him": him, "his": his, "His": his.title(), "himself": himself}
        self.slots.update(words)
        return gender

    def build_slots(self):
        rng, g, s = self.rng, self.g, self.slots
        other = {"m": "f", "f": "m"}
        gender = self.character("h")
        self.character("f", gender=other[gender] if rng.random() < 0.8 else gender)
        animals = ["kinds_small", "kinds_furry", "kinds_bird", "kinds_pond"]
        self.character("x", groups=animals if self.plot_name == "littleone" else None, avoid=YOUNG)
        for names, choices in EXTRAS.items():
            s.update(zip(names, rng.choice(choices)))
        if self.plot_name == "giant":
            s["fk"] = s["big"]
            s["fr"], s["Fr"] = [s["F"], f"the {s['big']}"], [s["F"], f"The {s['big']}"]
        if self.plot_name == "snowfriend":
            s["xk"] = "snowman"
        s["trait"], s["ftrait"] = rng.sample(g.lists["traits"], 2)
        for suffix in ("", "2"):
            group = rng.choice(("hard", "hard", "cloth", "any"))
            adjectives = g.lists["adj_any"] + (g.lists["adj_" + group] * 2 if group != "any" else [])
            s["obj" + suffix] = f"{rng.choice(adjectives)} {rng.choice(g.lists['obj_' + group])}"
            s["aobj" + suffix] = "a " + s["obj" + suffix]
        s["afood"], s["thefood"] = rng.choice(g.foods)
        feats = rng.sample(self.place["feats"], 4)
        senses = rng.sample(self.place["senses"], 2)
        s.update({"inplace": self.place["long"], "Inplace": capital(self.place["long"]), "place": self.place["short"],
                  "feat": feats[0], "feat2": feats[1], "feat3": feats[2], "Feat": capital(feats[0]),
                  "sense": senses[0], "sense2": senses[1], "grandma": s["his"] + " grandmother's",
                  "ingredient0": s["ingredient"]})
        for name in ("silent_thing", "answer", "lotshort", "trait"):
            s[capital(name)] = capital(s[name])
        s["Obj"], s["Where"] = s["obj"].title(), self.place["where"].title()

    def pick(self, macro, friend):
        """One alternative of a macro, without the friend unless allowed."""
        options = self.g.macros[macro]
        return self.rng.choice(options if friend else [text for text in options if "{F}" not in text])

    def write(self):
        """Expand opening, beats and ending into paragraphs."""
        rng = self.rng
        put = lambda text: polish(self.g.expand(text, self.slots, rng))
        friend = self.plot_name not in STRANGER_PLOTS       # may the opening mention the friend?
        first = put(self.pick("open", friend))
        for _ in range(rng.choice((0, 1, 1, 2))):
            extra = put(self.pick("habit", friend and self.slots["F"] not in first))
            if extra.split(",")[0] not in first:
                first += " " + extra
        parts = [first]
        beats = self.plot["beats"]
        for beat in beats:
            part = put(rng.choice(beat))
            if rng.random() < 0.12:
                extra = put("<interlude>")
                part += " " + extra if extra not in first else ""
            parts.append(part)
        if rng.random() < 0.7:
            end = put(self.pick("end", any(self.slots["F"] in part for part in parts)))
            if rng.random() < 0.5:
                parts[-1] += " " + end
            else:
                parts.append(end)
        if rng.random() < 0.12:
            parts.append(put("<close>"))
        if rng.random() < 0.25:     # fewer, longer paragraphs
            merged = []
            for part in parts:
                if merged and rng.random() < 0.5:
                    merged[-1] += " " + part
                else:
                    merged.append(part)
            parts = merged
        return "\n\n".join(parts)

    def title(self):
        """A title for the tale."""
        return self.g.expand(self.rng.choice(TITLES), self.slots, self.rng)

    def plan(self):
        """One line that says what happens."""
        return polish(self.g.expand(self.plot["plan"], self.slots, self.rng))

    def theme(self):
        return self.rng.choice(self.plot["about"])
