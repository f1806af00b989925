# SPDX-License-Identifier: Apache-2.0
"""A module's file: its whole numbers, and the module made with others in their place."""
import ast
import inspect

HELPERS = ("get_inputs", "get_init_inputs")
EXAMPLES = ("get_inputs", "example_inputs", "inputs", "EXAMPLE_INPUTS", "INPUTS")
FUNCTIONS = ("forward", "forward_fn", "fn", "f", "run", "reference", "reference_fn", "module_fn")


class Refusal(Exception):
    """What cannot become a task, in words for the user."""


def _literal(node):
    """The whole number that an expression without names is, or None."""
    for part in ast.walk(node):
        if not isinstance(part, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)):
            return None
    try:
        value = eval(compile(ast.Expression(node), "constant", "eval"), {"__builtins__": {}})
    except Exception:
        return None
    return value if type(value) is int else None


def _assigned(statement):
    """[(name, value, index in a tuple or None)] of one assignment of the top level."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    else:
        return []
    value = statement.value
    listed = isinstance(value, (ast.Tuple, ast.List))
    if isinstance(target, ast.Name):
        if not listed:
            return [(target.id, value, None)]
        many = len(value.elts) > 1
        return [(f"{target.id}_{i}" if many else target.id, v, i) for i, v in enumerate(value.elts)]
    if isinstance(target, ast.Tuple) and listed and len(target.elts) == len(value.elts):
        pairs = enumerate(zip(target.elts, value.elts))
        return [(t.id, v, i) for i, (t, v) in pairs if isinstance(t, ast.Name)]
    return []


class Source:
    """The text, and where its module-level whole numbers are written."""

    def __init__(self, text, path):
        self.path = path
        self.text = text
        self.code = {}
        tree = self._parse()
        self.constants = {}  # name -> value
        self.places = {}  # name -> (index of the statement, index in a tuple or None)
        found = [(name, value, (index, place)) for index, statement in enumerate(tree.body)
                 for name, value, place in _assigned(statement)]
        names = [name for name, _, _ in found]
        for name, value, place in found:
            if names.count(name) == 1 and not name.startswith("_"):
                self._add(name, value, place)

    def _parse(self):
        try:
            return ast.parse(self.text, self.path)
        except SyntaxError as error:
            raise Refusal(f"{self.path}:{error.lineno or 1}: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise Refusal(f"{self.path}:1: not a Python file: {error}") from None

    def _add(self, name, node, place):
        value = _literal(node)
        if value is not None and value >= 1 and name not in self.constants:
            self.constants[name] = value
            self.places[name] = place

    def load(self, values):
        """The module's names after its text ran with these values."""
        key = tuple(sorted(values.items()))
        if key not in self.code:
            tree = self._parse()
            for name, value in values.items():
                if name not in self.places:
                    continue
                index, element = self.places[name]
                statement = tree.body[index]
                old = statement.value if element is None else statement.value.elts[element]
                new = ast.copy_location(ast.Constant(int(value)), old)
                if element is None:
                    statement.value = new
                else:
                    statement.value.elts[element] = new
            if len(self.code) > 64:
                self.code.clear()
            self.code[key] = compile(tree, self.path, "exec")
        names = {"__name__": "reference", "__file__": self.path}
        import sys
        import types

        module = types.ModuleType("reference")
        module.__dict__.update(names)
        sys.modules["reference"] = module  # dataclasses and pickles look a class's module up
        exec(self.code[key], module.__dict__)
        return module.__dict__


def own_class(names, base):
    found = [v for v in names.values()
             if isinstance(v, type) and issubclass(v, base) and v.__module__ == "reference"]
    return found[-1] if found else None


def own_function(names):
    for name in FUNCTIONS:
        if inspect.isfunction(names.get(name)):
            return names[name]
    found = [v for k, v in names.items()
             if inspect.isfunction(v) and v.__module__ == "reference"
             and k not in HELPERS + EXAMPLES and not k.startswith("_")]
    return found[-1] if found else None


def make_module(names, path):
    """The torch module that the file means."""
    import torch

    if isinstance(names.get("Model"), type):
        kind = names["Model"]
    else:
        kind = own_class(names, torch.nn.Module)
        if kind is not None and own_function(names) is not None and "get_init_inputs" not in names:
            kind = kind if not any(n in names for n in FUNCTIONS) else None
    if kind is None:
        function = own_function(names)
        if function is None:
            raise Refusal(f"{path}:1: there is no class Model, no other torch module and no function")

        class Function(torch.nn.Module):
            def forward(self, *args, **kwargs):
                return function(*args, **kwargs)

        module = Function()
        module.signature = inspect.signature(function)
        module.line = function.__code__.co_firstlineno
        return module
    arguments = names["get_init_inputs"]() if callable(names.get("get_init_inputs")) else []
    if isinstance(arguments, dict):
        module = kind(**arguments)
    else:
        module = kind(*arguments)
    if not isinstance(module, torch.nn.Module):
        raise Refusal(f"{path}:1: {kind.__name__} is no torch.nn.Module")
    module.__dict__["signature"] = inspect.signature(module.forward)
    code = getattr(kind.forward, "__code__", None)
    module.__dict__["line"] = code.co_firstlineno if code is not None else 1
    return module


def make_inputs(names, path):
    """What the module is called with: (positional, by name)."""
    for name in EXAMPLES:
        if name not in names:
            continue
        value = names[name]
        value = value() if callable(value) else value
        if isinstance(value, dict):
            return [], value
        if isinstance(value, (list, tuple)):
            return list(value), {}
        return [value], {}
    raise Refusal(f"{path}:1: there is no get_inputs() and no example_inputs")
