"""Terms and coefficients of the evaluation, as Python objects."""

from engine.types cimport *
from engine.position cimport *
from engine.endgame cimport *
from engine.evaluate cimport *
from engine.game cimport Game
