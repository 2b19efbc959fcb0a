"""What a workspace refuses, and why: each message says what to do about it."""


class WorkspaceError(Exception):
    """Base of everything a workspace refuses; nothing was written when one is raised."""


class UnsafePath(WorkspaceError, ValueError):
    """A path that is not a file's place inside the root."""


class IgnoredPath(WorkspaceError):
    """A place that an agent ignore file keeps models out of."""


class StaleFile(WorkspaceError):
    """The file on disk is not the one the caller has read."""


class UnsupportedText(WorkspaceError, ValueError):
    """Bytes that are no text we can keep, or text that does not fit the file's encoding."""


class FileTooLarge(WorkspaceError, ValueError):
    """A file above the size bound of `editstream.workspace.text_files`."""
