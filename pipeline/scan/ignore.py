"""The ignore rules in force in a folder: git's, from every place where git keeps some, and those for agents.

What a line means, and how a file decides, is in `editstream.workspace.ignore_rules`.
"""

import os
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from editstream.workspace.agent_ignore import AgentRules
from editstream.workspace.ignore_rules import RuleFile, as_bytes, components, folders_above

from .git_files import excludes_files, read_rules
from .options import ScanOptions

GIT_RULES = ".gitignore"
OWN_RULES = ".ignore"
RULE_FILES = frozenset({GIT_RULES, OWN_RULES})
"""Names of files whose change may show or hide anything below their folder."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in force in one folder, nearest last. Those of `.ignore` files come before those of git.

    Those of git, or those for agents, are None where a scan does not ask for them.
    """

    git: tuple[RuleFile, ...] | None = ()
    own: tuple[RuleFile, ...] = ()
    agents: AgentRules | None = None

    @classmethod
    def above(cls, root: str, options: ScanOptions) -> "Rules":
        """The rules that the folders above `root` (canonical) hand down: up to its repository's."""
        rules = cls(
            git=() if options.use_gitignore else None,
            agents=AgentRules() if options.use_agent_ignore else None,
        )
        if options.use_gitignore or options.use_agent_ignore:
            for folder in folders_above(root):
                rules = rules.enter(folder)
        return rules

    def enter(self, folder: str, names: Container[str] | None = None) -> "Rules":
        """The rules in force in `folder` (absolute), one below where these are; `names` is what is in it, where known.

        A repository begins anew, with no rules of git from above.
        """
        git, own, agents = self.git, self.own, self.agents
        if agents is not None:
            agents = agents.enter(folder, names)
        if git is not None:
            depth = len(components(folder))
            if _holds(folder, ".git", names):
                git = _present(_load(file, depth, follow_link=True) for file in excludes_files(folder))
            if _holds(folder, GIT_RULES, names):
                git += _present([_load(os.path.join(folder, GIT_RULES), depth)])
            if _holds(folder, OWN_RULES, names):
                own += _present([_load(os.path.join(folder, OWN_RULES), depth)])
        if git is self.git and own is self.own and agents is self.agents:
            return self
        return Rules(git, own, agents)

    def ignores(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether the entry with these components, counted from the file system's root, is ignored."""
        if self.agents is not None and self.agents.rule_for(parts, is_folder) is not None:
            return True
        parts = as_bytes(parts)
        for chain in (self.own, self.git or ()):
            for file in reversed(chain):
                rule = file.deciding(parts, is_folder)
                if rule is not None:
                    return not rule.negated
        return False


def _holds(folder: str, name: str, names: Container[str] | None) -> bool:
    return os.path.lexists(os.path.join(folder, name)) if names is None else name in names


def _present(files: Iterable[RuleFile | None]) -> tuple[RuleFile, ...]:
    return tuple(file for file in files if file is not None)


def _load(path: str, depth: int, *, follow_link: bool = False) -> RuleFile | None:
    """The rules in a file, if it has any; of a file in the tree git does not follow a link."""
    return RuleFile.of(read_rules(path, follow_link=follow_link), depth)
