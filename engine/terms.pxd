"""Terms and coefficients of the evaluation, as Python objects."""

from engine.types cimport *
from engine.position cimport *
from engine.movegen cimport NOISY, generate
from engine.see cimport see_ge
from engine.endgame cimport *
from engine.evaluate cimport *
from engine.game cimport Game
