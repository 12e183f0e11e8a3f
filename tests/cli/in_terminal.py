"""Runs a command in a terminal of its own and prints what it shows, control sequences as ^[.

Usage: in_terminal.py COLUMNS COMMAND...
"""

import fcntl
import os
import pty
import struct
import sys
import termios


def main(columns, command):
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execvp(command[0], command)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the end, on Linux
            break
        if not part:
            break
        shown += part
    os.waitpid(child, 0)
    sys.stdout.write(shown.decode().replace("\r\n", "\n").replace("\033", "^["))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
