"""Turns that need their own history: text edited twice, a place that order decides, edits that are done already."""

from __future__ import annotations

from turn import ARROWS, Edit, Turn

REPORT_RB = """\
require "csv"

class Report
  def initialize(rows)
    @rows = rows
  end

  def to_csv
    CSV.generate do |csv|
      @rows.each { |row| csv << row }
    end
  end

  def total
    @rows.sum { |row| row.last }
  end
end
"""

EDITED_TWICE = Turn(
    name="edited_twice",
    note="the third block changes lines that the first one wrote",
    path="app/report.rb",
    original=REPORT_RB,
    parts=(
        "I'll add a header line to the export:\n\n",
        Edit(
            "  def to_csv\n    CSV.generate do |csv|\n      @rows.each { |row| csv << row }\n    end\n  end\n",
            "  def to_csv(header: nil)\n"
            "    CSV.generate do |csv|\n"
            "      csv << header if header\n"
            "      @rows.each { |row| csv << row }\n"
            "    end\n"
            "  end\n",
        ),
        "\nThe total should survive an empty cell:\n\n",
        Edit("    @rows.sum { |row| row.last }\n", "    @rows.sum { |row| row.last.to_f }\n"),
        "\nOn second thought the header should be checked, since a short one shifts every column:\n\n",
        Edit(
            "      csv << header if header\n",
            "      csv << checked(header) if header\n",
            inside=0,
        ),
        "\n",
        Edit(
            "    @rows.sum { |row| row.last.to_f }\n  end\n",
            "    @rows.sum { |row| row.last.to_f }\n"
            "  end\n"
            "\n"
            "  private\n"
            "\n"
            "  def checked(header)\n"
            "    return header if @rows.all? { |row| row.size == header.size }\n"
            "\n"
            '    raise ArgumentError, "header has #{header.size} columns"\n'
            "  end\n",
            inside=1,
        ),
    ),
    rate=44,
)

COMPOSE_YML = """\
services:
  web:
    image: registry.example/web:4.2
    restart: always
    environment:
      LOG_LEVEL: info
    ports:
      - "8080:8080"

  worker:
    image: registry.example/worker:4.2
    restart: always
    environment:
      LOG_LEVEL: info
    command: ["run", "--queue", "mail"]

  cron:
    image: registry.example/cron:4.2
    restart: always
    environment:
      LOG_LEVEL: info
"""

REPEATED_CODE = Turn(
    name="repeated_code",
    note="the second block fits in three places; the blocks before and after it leave one",
    path="compose.yml",
    original=COMPOSE_YML,
    markers=ARROWS,
    parts=(
        "I'll bump the worker to 4.3, give it a quieter log, and let it take the `report` queue as well.\n\n",
        Edit(
            "    image: registry.example/worker:4.2\n",
            "    image: registry.example/worker:4.3\n",
        ),
        "\n",
        Edit(
            '    environment:\n      LOG_LEVEL: info\n    command: ["run", "--queue", "mail"]\n',
            '    environment:\n      LOG_LEVEL: warning\n    command: ["run", "--queue", "mail"]\n',
            search="    environment:\n      LOG_LEVEL: info\n",
            replace="    environment:\n      LOG_LEVEL: warning\n",
        ),
        "\n",
        Edit(
            '    command: ["run", "--queue", "mail"]\n',
            '    command: ["run", "--queue", "mail,report"]\n',
        ),
        "\nThe other two services keep `info`.\n",
    ),
    rate=35,
)

SLUG_PHP = """\
<?php

declare(strict_types=1);

final class Slug
{
    public const MAX_LENGTH = 64;

    public static function of(string $title): string
    {
        $slug = mb_strtolower(trim($title));
        $slug = preg_replace('/[^a-z0-9]+/', '-', $slug);
        return trim($slug, '-');
    }
}
"""

SECOND_ATTEMPT = Turn(
    name="second_attempt",
    note="a model repeats its turn: one block is in the file already, one changes nothing, one is new",
    path="src/Slug.php",
    original=SLUG_PHP,
    parts=(
        "Here are all the edits again, with the last one corrected.\n\n",
        Edit(
            "",
            "",
            search="        $slug = strtolower(trim($title));\n"
            "        $slug = preg_replace('/[^a-z0-9]+/', '-', $slug);\n",
            replace="        $slug = mb_strtolower(trim($title));\n"
            "        $slug = preg_replace('/[^a-z0-9]+/', '-', $slug);\n",
            status="already_applied",
        ),
        "\n",
        Edit(
            "",
            "",
            search="    public const MAX_LENGTH = 64;\n",
            replace="    public const MAX_LENGTH = 64;\n",
            status="unchanged",
        ),
        "\n",
        Edit(
            "        return trim($slug, '-');\n",
            "        return trim(substr($slug, 0, self::MAX_LENGTH), '-');\n",
        ),
    ),
    rate=40,
)

TAGS_KT = """\
package notes

data class Note(val title: String, val tags: List<String>)

class TagIndex(notes: List<Note>) {
    private val byTag = notes
        .flatMap { note -> note.tags.map { it to note } }
        .groupBy({ it.first }, { it.second })

    fun find(tag: String): List<Note> = byTag[tag].orEmpty()
}
"""

MISSING_CLOSER = Turn(
    name="missing_closer",
    note="the stream ends, complete, without the last block's closer: applied, and marked as repaired",
    path="src/main/kotlin/notes/TagIndex.kt",
    original=TAGS_KT,
    parts=(
        "Tags should be found whatever their case. The index folds them once:\n\n",
        Edit(
            "        .flatMap { note -> note.tags.map { it to note } }\n",
            "        .flatMap { note -> note.tags.map { it.lowercase() to note } }\n",
        ),
        "\nand so does the lookup:\n\n",
        Edit(
            "    fun find(tag: String): List<Note> = byTag[tag].orEmpty()\n",
            "    fun find(tag: String): List<Note> =\n        byTag[tag.lowercase()].orEmpty()\n",
            status="repaired",
        ),
    ),
    cut="byTag[tag.lowercase()].orEmpty()\n",
    rate=31,
)

TURNS = (EDITED_TWICE, REPEATED_CODE, SECOND_ATTEMPT, MISSING_CLOSER)
