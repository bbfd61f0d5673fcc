"""The only part of the package that touches the world: mitmproxy, disk, environment, terminal."""
