"""Lines around outputs that say nothing of them: of documents, of sessions on other machines, of pages and chats.

    <?xml version="1.0"?>                 login as: root                     [ mgt ][ 0-$ bash  1*$ top ][ 28/01 11:21 ]
    stdout: |-                            Removing debug pod ...             Anna Berg
    #==[ Command ]==================#     PS C:\\Users\\anna>                11:21

This is asked where nobody knows a line. What might be a message is none of them.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.line_kinds import LONGEST_POST, PERSON, POST_TIME

LONGEST: Final = 500
_OF_DOCUMENTS: Final = (
    r"<\?xml [^<>]{0,200}\?>$|</?[A-Za-z][\w:.-]{0,60}>$|---$|(?:- )?[\w.-]{1,60}: ?[|>][-+]?\d?$"
    r"|\|?(?: ?:?-{2,200}:? ?\|){1,60}$|={2,80} [a-z][\w.-]{0,60} ={2,80}$|_{10,100}$"
    r"|-{3,200}(?: {1,20}-{3,200}){1,20}$"
    r"|(?:\d{1,6}(?:,\d{1,6})?[acd]\d{1,6}(?:,\d{1,6})?)$"
    r"|(?:\+?(?:-{2,400}\+){1,60}(?:-{2,400})?|\(?\d{1,9} rows?\)?(?: in set(?: \([\d.]{1,12} sec\))?)?)$"
)
"""Of XML, YAML, a tracker, a mail, a difference between files."""
_OF_RESULTS: Final = (
    r"(?:rc|delta|start|end|changed|std(?:out|err)(?:_lines)?|invocation|failed|msg): ?"
    r"(?:'[^']{0,200}'|\"[^\"]{0,200}\"|-?\d{1,6}|\[\]|<omitted>|true|false|[\d:. -]{6,40})?$"
    r"|#==\[ [A-Z][\w /]{2,60} \]={2,100}#$|Support Utilities - Supportconfig$"
    r"|\.{5}(?: {4}\S.{0,120})?$|Script (?:Version: {1,8}[\d.-]{3,40}|Date: {1,8}\d{4} \d\d \d\d)$"
    r"|Detailed system information and logs are collected and organized in a$"
    r"|manner that helps reduce service request resolution times\.|Private system$"
    r"|\"(?:changed|unreachable|failed|skipped)\": (?:true|false),?$|\"ansible_facts\": \{$"
    r"|\"discovered_interpreter_python\": \"[^\"]{1,100}\",?$|[{}],?$"
)
"""Of a playbook beside an output, of supportconfig, of snap of AIX."""
_OF_SESSIONS: Final = (
    r"(?:exit|logout|login as: ?\S{0,60}|\S{1,100}'s password: ?|Windows PowerShell|PS [A-Z]:\\[^<>\n]{0,200}>"
    r"|[A-Z]:\\[^<>\n]{0,200}>)$|Copyright \(C\) Microsoft Corporation\b"
    r"|Authenticating with public key |Using (?:username|keyboard-inter|ssh)"
    r"|(?:Starting pod/\S{1,200} \.\.\.|Removing debug pod \.\.\.|Pod IP: [\d.:a-f]{3,45}"
    r"|To use host binaries, run `chroot /host`.{0,60}|If you don't see a command prompt, try pressing enter\.)$"
    r"|\[ ?[\w.-]{1,60} ?\]\[.{1,200}\]\[[^\]]{0,40}\d\d:\d\d[^\]]{0,20}\]$"
    r"|\[[\w.-]{1,60}\] \d{1,3}:\S.{0,200} \"[^\"]{0,100}\" \d\d:\d\d \d\d-[A-Z][a-z]{2}-\d\d$"
)
"""Of PuTTY, Windows, a debug pod, the status lines of screen and tmux."""
_OF_RECORDINGS: Final = (
    r"\{\"version\": ?[123], ?\"width\": ?\d{1,4}, .{0,380}\}$"
    r"|\*{10,60}$|Windows PowerShell transcript (?:start|end)$|Transcript (?:started|stopped), output file is "
    r"|(?:Start time|End time): \d{14}$|(?:Username|RunAs User|Machine|Host Application|Process ID|PSVersion"
    r"|PSEdition|PSCompatibleVersions|BuildVersion|CLRVersion|WSManStackVersion|PSRemotingProtocolVersion"
    r"|SerializationVersion|OS|GitCommitId|Platform|Configuration Name): \S.{0,300}$"
    r"|(?:Start|Stop)-Transcript\b|~$"
    r"|\"[^\"]{1,200}\"(?: \[[\w ]{1,20}\])?,? \d{1,9}(?:L, \d{1,12}[BC]| lines?,).{0,80}$"
    r"|:[qw]{1,2}!?$|\[Pipeline\] .{0,100}$|Started by (?:user|timer|an SCM|upstream)\b.{0,100}$|Finished: SUCCESS$"
    r"|section_(?:start|end):\d{10}:\S{1,80}|Running with gitlab-runner\b"
    r"|Job succeeded$|##\[(?:group|endgroup|section|command)\].{0,300}$"
    r"|(?:PSComputerName|RunspaceId|PSShowComputerName|PSSourceJobInstanceId) {0,12}: \S{1,126}$"
    r"|(?:\[[\w.@-]{1,126}\] )?Executing task '[^']{1,100}'$|Done\.$|Disconnecting from \S.{0,200}done\.$"
    r"|@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@.{0,200}$"
    r"|#  (?:[A-Z][\w':,.!-]{0,24}|[a-z][\w':,.!-]{0,24})(?: {1,30}[\w':,.!&/-]{1,24}){1,20} {0,60}#$|#{20,100}$"
    r"|Activate the web console with: .{0,100}$"
)
"""Of a session that was recorded, an editor, a job of a build server, a greeting."""
_OF_MARKUP: Final = (
    r"- command: \S.{0,200}$|-{4}$|= [A-Z][\w ]{1,60}$|\[(?:source|listing|literal)(?:,[\w, =\"-]{1,60})?\]$"
    r"|\.\. (?:code-block|code|parsed-literal|literalinclude|highlight)::.{0,60}$|::$"
    r"|#\+(?i:begin|end)_(?i:example|src|quote|export)\b.{0,80}$"
    r"|ID: \S.{0,100}$|Function: [a-z_]{2,40}\.[a-z_]{2,40}$|Result: True$|Comment: Command \".{1,300}\" run$"
    r"|Started: \d\d:\d\d:\d\d\.\d{6}$|Duration: [\d.]{1,12} ms$|Changes:$|(?:pid|retcode|stderr|stdout):$"
    r"|Summary for [\w.-]{1,126}$|Succeeded: \d{1,6}(?: \(.{1,80}\))?$|Failed: {1,8}0$"
    r"|Total (?:states run: {1,8}\d{1,6}|run time: {1,8}[\d.]{1,12} m?s)$"
)
"""Of documents in plain marks, of states of Salt."""
_OF_MAILS: Final = (
    r"From: (?:\"?[\w .,'@-]{0,60}\"? ?)?<?[\w.+-]{1,64}@[\w.-]{1,126}>? \(Cron Daemon\)$"
    r"|(?:Auto-Submitted|X-Cron-Env|X-Mailer|User-Agent|Precedence|Delivered-To|X-Original-To|X-Priority|Importance"
    r"|Sensitivity|Authentication-Results|Received-SPF|DKIM-Signature|List-[A-Z][a-z]{1,20}): \S.{0,400}$"
)
"""Of the head of a mail that a host sent; who wrote to whom and when tells of a mail of people."""
_OF_FLEETS: Final = (
    r"\* \[ ?=*>? ?\] \d{1,6} / \d{1,6}$|Finished processing \d{1,6} / \d{1,6} hosts in .{1,40}$|Exit [Cc]ode: 0$"
    r"|(?:exit status|return code|rc)[:=] ?0$"
)
"""Of tools that ask many nodes."""
_OF_PAGES: Final = (
    r"(?:i[ \t]{1,8})?Time[ \t]{1,8}Event$|host = \S{1,200}?[ \t]{0,8}source = \S.{0,300}$"
    r"|[A-Za-z][^`]{0,60}`[^`]{2,200}`[^`]{0,60}:$"
    r"|\d{1,2}/\d{1,2}/\d{2,4}$|\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?$"
    r"|[A-Z][a-z]{2,8} \d{1,2},? \d{4},? (?:at )?\d{1,2}:\d\d(?: ?[AaPp][Mm])?$"
    r"|(?:[Pp]lease )?(?:[Ss]ee|[Ss]iehe|[Vv]oir) (?:below|above|attach\w{2,8}|unten|oben|Anhang|ci-dessous)\b"
    r"[^\d:=]{0,40}$|(?:[Oo]n|[Ff]rom|[Aa]t|Auf|Von|Sur|In) (?:node |host |server )?[A-Za-z][\w.-]{1,60}:$"
)
"""Of Splunk, of a ticket or a chat."""
_OF_CRASHES: Final = (
    r"-{3,12}\[ (?:end|cut) [^\]]{1,80}\]-{3,12}$|CPU: \d{1,5} (?:UID: \d{1,9} )?PID: \d{1,9} Comm: .{1,160}$"
    r"|Hardware name: .{1,200}$|(?:RIP|RSP|RAX|RDX|RBP|R10|R13|CR2|CS|FS|DR0|DR3|PKRU): ? ?[0-9a-f]{4}.{0,120}$"
    r"|Code: (?:[0-9a-f]{2} |<[0-9a-f]{2}> ){4,80}.{0,60}$|Modules linked in: .{0,460}$|Kernel Offset: 0x.{1,120}$"
)
"""Around a stack on a console without stamps: marks, registers, modules."""
_OF_NOTHING: Final = (
    r"[(<\[]?(?i:no (?:waiters?|output|entries|data|results?|rows|matches)(?: found)?|none|nothing|empty"
    r"|keine(?: (?:waiter|ausgabe|eintr\u00e4ge|daten|treffer))?|aucun(?:e sortie| r\u00e9sultat)?"
    r"|ninguno|nessuno)[)>\]]?\.?$"
)
"""What people write where an output had no lines."""
_NUMBER: Final = r"(?:[A-Z]{1,8}-?)?\d{2,20}"
_DONE: Final = (
    "open|opened|new|closed|resolved|solved|done|fixed|pending|on hold|in progress|reopened|duplicate|updated|assigned"
    "|offen|neu|erledigt|geschlossen|gel\u00f6st|behoben|in bearbeitung|wartet|zugewiesen"
    "|ouvert|ferm\u00e9|r\u00e9solu|en cours|clos|abierto|cerrado|resuelto|en curso|aperto|chiuso|risolto|in corso"
    "|aberto|fechado|resolvido|em andamento|gesloten|opgelost|afgehandeld|zamkni\u0119te"
)
_OF_TICKETS: Final = (
    rf"(?i:ticket|case|incident|problem|change|issue|request|call|vorgang|st\u00f6rung|auftrag|anfrage|dossier|caso"
    rf"|chamado|incidente|zg\u0142oszenie|INC|SR|PMR|TS|CHG|PRB|RITM|REQ|CASE)"
    rf"[ \t]?(?:(?i:number|nr|no|id)\.?)?[ \t]?[:#]?[ \t]?{_NUMBER}(?:[ \t]{{0,3}}[-:\u2013\u2014|,(][ \t]{{0,3}}"
    rf"(?i:{_DONE})\b(?: (?:by|von|par|por|da|door) [\w .]{{1,60}})?\)?)?[.:]?$"
    r"|(?i:work notes?|additional comments?|comments? by|public (?:note|comment)|internal note|interne notiz)\b.{0,80}$"
)
"""Of a tracker of tickets: a number and what became of it; never what it is about."""
_FRAMES: Final = re.compile(
    f"{_OF_DOCUMENTS}|{_OF_RESULTS}|{_OF_SESSIONS}|{_OF_RECORDINGS}|{_OF_MARKUP}|{_OF_PAGES}|{_OF_TICKETS}|{_OF_FLEETS}|{_OF_MAILS}"
    f"|{_OF_NOTHING}|{_OF_CRASHES}"
)
_PERSON_ALONE = re.compile(rf"{PERSON}(?: \([A-Z][A-Za-z ]{{3,30}}\))?$")
_MOMENT_ALONE = re.compile(
    rf"(?:[A-Z][a-z]{{2,8}},? )?(?:{POST_TIME}|[A-Z][a-z]{{2,8}} \d{{1,2}},? \d{{4}},? (?:at )?{POST_TIME}"
    rf"|\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{2,4}},? {POST_TIME}|(?:[Tt]oday|[Yy]esterday)(?:,| at)? {POST_TIME})$"
)


def is_frame(text: str) -> bool:
    """Whether a line that nobody knows belongs to what stands around outputs."""
    return len(text) < LONGEST and _FRAMES.match(text.strip()) is not None


_SIGNATURE = re.compile(r"[A-Z\u00c0-\u00de][^\W\d_]{1,20}(?: [A-Z\u00c0-\u00de][^\W\d_]{0,20}\.?){0,2}$")


_NOTHING = re.compile(_OF_NOTHING)


def is_nothing(text: str) -> bool:
    """Whether a line says that an output had no lines."""
    return len(text) < LONGEST_POST and _NOTHING.match(text.strip()) is not None


def is_signature(text: str) -> bool:
    """Whether a line may be the name of a person alone."""
    return _SIGNATURE.match(text.strip()) is not None


def is_of_post(text: str, below: str) -> bool:
    """Whether a line is the name of a person who wrote what follows: the moment stands on the line below."""
    return len(text) < LONGEST_POST and _PERSON_ALONE.match(text) is not None and _MOMENT_ALONE.match(below) is not None
