"""How much of a metric unit one of another system is, exactly, as both are defined (NIST Special Publication 811, appendix B)."""

INCH = 2.54  # centimetres
FOOT = 0.3048  # metres
YARD = 0.9144  # metres
MILE = 1.609344  # kilometres
NAUTICAL_MILE = 1.852  # kilometres
ACRE = 4046.8564224  # square metres
MU = 2000 / 3  # square metres: 亩
OUNCE = 28.349523125  # grams
POUND = 0.45359237  # kilograms
GALLON = 3.785411784  # litres: of the United States
IMPERIAL_GALLON = 4.54609  # litres
CALORIE = 4.184  # joules: the thermochemical one
