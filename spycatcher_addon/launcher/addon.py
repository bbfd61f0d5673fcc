"""The file for ``mitmdump -s "$(spycatcher-harness addon-path)"``; it hands mitmproxy the list of add-ons and nothing else.

mitmproxy loads a script as a file outside its package, so the import is absolute. It puts the script's folder first on
``sys.path``, so this folder holds no other module: a neighbour could shadow one that the process imports later.
"""

from spycatcher_addon.edge.script import addons as addons
