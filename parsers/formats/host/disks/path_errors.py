"""What commands answer on a path that can not be used: ``df: /srv/pots: Input/output error``.

    ls: cannot access '/srv/pots': Input/output error
    /bin/touch: setting times of "/srv/pots/a": Structure needs cleaning
    cp: error writing '/srv/pots/b': No space left on device
    stat /srv/pots/c: stale NFS file handle

Yields ``StorageState`` of the path: failed where requests to it end with an error of the disk or of the file system,
degraded where its server or its connection is gone, where it takes no writes, or where no room or quota is left.
Source: errno(3), as the C library words it.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of

# As the C library words them in English, German, French, Spanish, Italian, Portuguese, Russian, Polish, Japanese,
# Chinese, Korean and Dutch.
_FAILED: Final = (
    r"Input/output error|I/O error|Structure needs cleaning|Remote I/O error|Eingabe-/Ausgabefehler"
    r"|Erreur d['\u2019]entr\u00e9e/sortie|Error de entrada/salida|Errore di input/output|Erro de entrada/sa\u00edda"
    r"|Ошибка ввода/вывода|Błąd wejścia/wyjścia|入力/出力エラー(?:です)?|输入/输出错误|輸入/輸出錯誤|입력/출력 오류"
    r"|Invoer-/uitvoerfout"
)
_AWAY: Final = (
    r"Stale (?:NFS )?file handle|Transport endpoint is not connected|Transport endpoint not connected"
    r"|Read-only file system|(?:Das )?Dateisystem ist nur lesbar"
    r"|Syst\u00e8me de fichiers accessible en lecture seulement"
    r"|Sistema de (?:ficheros|archivos) de s[\u00f3o]lo lectura|File ?system in sola lettura"
    r"|Sistema de arquivos somente para leitura"
    r"|Файловая система доступна только для чтения|System plików (?:jest )?tylko do odczytu"
    r"|読み(?:込み|取り)専用(?:の)?ファイルシステム(?:です)?|只读文件系统|唯讀檔案系統"
    r"|읽기 ?전용 파일 시스템(?:입니다)?"
    r"|Alleen-lezen bestandssysteem|Bestandssysteem is alleen-lezen"
    r"|Veraltete[rs]? (?:NFS-)?Datei[\w-]{1,30}(?: \(file handle\))?|[^:]{0,40}\((?i:stale (?:nfs )?)?file handle\)"
    r"|(?:Identificateur|Descripteur|Gestion(?:naire)?|Poignée) de fichier (?:NFS )?(?:obsolète|périmée?)"
    r"|(?:Manejador|Identificador|Manipulador) de (?:fichero|archivo|arquivo)(?: NFS)? (?:obsoleto|en desuso)"
    r"|(?:Handle|Gestore) (?:del|di) file (?:NFS )?(?:obsoleto|non aggiornato)"
    r"|Устаревший (?:дескриптор файла|файловый (?:дескриптор|указатель))(?: NFS)?|Nieaktualny uchwyt pliku(?: NFS)?"
    r"|(?:古い|実効性のない) ?(?:NFS ?)?ファイルハンドル(?:です)?|(?:陈旧|过旧|失效)的?(?: ?NFS ?)?文件(?:句柄|控柄)"
    r"|(?:끊어진|오래된) (?:NFS )?파일 핸들(?:입니다)?"
    r"|(?:Der )?Socket ist nicht verbunden|(?:Le )?[Nn](?:oe|œ)ud final de transport n['\u2019]est pas connecté"
    r"|El otro extremo de la conexión no está conectado|Il socket di destinazione non è connesso"
    r"|O (?:ponto final|soquete) de transporte não está conectado|Конечная точка передачи не подсоединена"
    r"|Drugi koniec nie jest połączony|通信端点が接続されていません|传输端点尚未连接"
    r"|전송 종료점이 연결되어 있지 않습니다"
)
_FULL: Final = (
    r"No space left on device|Dis[ck] quota exceeded"
    r"|Auf dem Ger\u00e4t ist kein Speicherplatz mehr verf\u00fcgbar"
    r"|Der zul\u00e4ssige Plattenplatz ist m\u00f6glicherweise \u00fcberschritten"
    r"|Aucun espace disponible sur le p\u00e9riph\u00e9rique|D\u00e9bordement du quota d['\u2019]espace disque"
    r"|No queda espacio en el dispositivo|Se ha excedido la cuota de disco|Spazio esaurito sul device"
    r"|N\u00e3o h\u00e1 espa\u00e7o dispon\u00edvel no dispositivo"
    r"|На устройстве не осталось свободного места|Brak miejsca na urządzeniu|デバイスに空き領域がありません"
    r"|设备上没有(?:剩余)?空间|裝置上已無多餘空間|장치에 남은 공간이 없음|Geen ruimte (?:meer )?over op apparaat"
    r"|Превышена дисковая квота|Przekroczony limit dyskowy"
    r"|ディスク使用量制限を超過しました|超出磁盘限额|디스크 할당량이 초과됨"
)
_ROW: Final = (
    r"[\w./-]{1,60}: (?:[^\W\d_][^\W\d_ '\u2019]{0,20}(?:[ '\u2019][^\W\d_]{1,20}){0,6} "
    r"|[^\W\d_]{2,8}(?=['\"\u2018\u201c]))?['\"`\u2018\u201c\u00ab]?"
    r"(?P<path>/[^\s'\"\u2019\u201d:]{0,200})['\"\u2019\u201d\u00bb]?(?:(?: [^\W\d_]{1,20}){1,4})?\s?: "
    rf"(?P<state>{_FAILED}|{_AWAY}|{_FULL})\.?$"
)
# Go words them in small letters, and tells the call in place of the program.
_CALL: Final = (
    r"(?:stat|lstat|open|read|write|mkdir|chmod|chown|rename|remove|unlinkat|readdirent|statfs|fsync|sync|truncate|close)"
    r" (?P<called>/[^\s:]{1,300}): (?P<ending>input/output error|structure needs cleaning|stale (?:NFS )?file handle"
    r"|transport endpoint is not connected|read-only file system|no space left on device|disk quota exceeded)$"
)
_MATCH = re.compile(f"{_ROW}|{_CALL}")
_CLAIMS: Final = re.sub(r"\?P<(?:path|state|called|ending)>", "?:", f"{_ROW}|{_CALL}")


@parser("path_errors", version=3, product="", claims=_CLAIMS)
def path_errors(section: OpenSection, out: Output) -> None:
    """Errors that commands print of a path."""
    for line, match in lines_of(section, out, _MATCH, "no error of a path"):
        section.add(
            StorageState,
            line.number,
            source="commands",
            sort="path",
            name=match["path"] or match["called"],
            state=match["state"] or match["ending"],
            standing="failed" if re.fullmatch(_FAILED, match["state"] or match["ending"].capitalize()) else "degraded",
        )
