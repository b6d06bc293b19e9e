-- A database of schema 1, as the first release made it. Never changed: later programs must read it.
PRAGMA application_id = 1633972066;
PRAGMA user_version = 1;
CREATE TABLE boards (name TEXT PRIMARY KEY, driver TEXT NOT NULL, device TEXT NOT NULL, settings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (  number INTEGER PRIMARY KEY,  id TEXT NOT NULL UNIQUE,  board TEXT NOT NULL,  started TEXT NOT NULL,  initial TEXT NOT NULL DEFAULT '',  chess960 INTEGER NOT NULL DEFAULT 0,  rules TEXT NOT NULL DEFAULT '',  white TEXT NOT NULL DEFAULT '?',  black TEXT NOT NULL DEFAULT '?',  event TEXT NOT NULL DEFAULT '?' COLLATE NOCASE,  round TEXT NOT NULL DEFAULT '?',  date TEXT NOT NULL DEFAULT '',  result TEXT NOT NULL DEFAULT '*',  termination TEXT NOT NULL DEFAULT '',  tags TEXT NOT NULL DEFAULT '');
INSERT INTO "games" VALUES(1,'T1-6175265986cb-1','T1','2026-11-30T02:27:22Z','rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1',0,'fide2023','Anderssen, Adolf','Kieseritzky, Lionel','London','?','2026.11.30','*','','White Anderssen, Adolf
Black Kieseritzky, Lionel
Event London
Date 2026.11.30
TimeControl 5400+30
');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('notices-from','1');
CREATE TABLE notices (  sequence INTEGER PRIMARY KEY,  at INTEGER NOT NULL,  wall INTEGER NOT NULL,  type TEXT NOT NULL,  board TEXT NOT NULL,  game TEXT NOT NULL,  ply INTEGER NOT NULL,  data TEXT NOT NULL);
INSERT INTO "notices" VALUES(1,7965086308,1796005642734369,'game-started','T1','T1-6175265986cb-1',0,'fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
string rules fide2023
string tempo standard
string enforcement observe
string time-control 5400+30
string orientation normal
');
INSERT INTO "notices" VALUES(2,7965086308,1796005642734383,'piece-touched','T1','T1-6175265986cb-1',1,'square 12
piece 1
');
INSERT INTO "notices" VALUES(3,7965086308,1796005642734383,'move-completed','T1','T1-6175265986cb-1',1,'uci e2e4
san e4
fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
white-ms 5430000
black-ms 5400000
bool reconstructed 1
');
INSERT INTO "notices" VALUES(4,7965086800,1796005642734602,'piece-touched','T1','T1-6175265986cb-1',2,'square 52
piece 9
side 1
');
INSERT INTO "notices" VALUES(5,7965086998,1796005642734818,'move-completed','T1','T1-6175265986cb-1',2,'uci e7e5
san e5
fen rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
side 1
white-ms 5430000
black-ms 5430000
bool reconstructed 1
');
INSERT INTO "notices" VALUES(6,7965087116,1796005642734915,'piece-touched','T1','T1-6175265986cb-1',3,'square 13
piece 1
');
INSERT INTO "notices" VALUES(7,7965087164,1796005642734961,'move-completed','T1','T1-6175265986cb-1',3,'uci f2f4
san f4
fen rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR b KQkq - 0 2
white-ms 5460000
black-ms 5430000
bool reconstructed 1
');
INSERT INTO "notices" VALUES(8,7965087239,1796005642735059,'piece-touched','T1','T1-6175265986cb-1',4,'square 29
piece 1
side 1
');
INSERT INTO "notices" VALUES(9,7965087239,1796005642735059,'piece-touched','T1','T1-6175265986cb-1',4,'square 36
piece 9
side 1
');
INSERT INTO "notices" VALUES(10,7965087309,1796005642735116,'move-completed','T1','T1-6175265986cb-1',4,'uci e5f4
san exf4
fen rnbqkbnr/pppp1ppp/8/8/4Pp2/8/PPPP2PP/RNBQKBNR w KQkq - 0 3
side 1
white-ms 5460000
black-ms 5460000
bool reconstructed 1
');
CREATE TABLE player_words (  word TEXT NOT NULL COLLATE NOCASE,  game INTEGER NOT NULL,  side INTEGER NOT NULL,  PRIMARY KEY (word, game, side)) WITHOUT ROWID;
INSERT INTO "player_words" VALUES('Adolf',1,0);
INSERT INTO "player_words" VALUES('Anderssen',1,0);
INSERT INTO "player_words" VALUES('Kieseritzky',1,1);
INSERT INTO "player_words" VALUES('Lionel',1,1);
CREATE TABLE plies (  game INTEGER NOT NULL REFERENCES games (number),  ply INTEGER NOT NULL,  uci TEXT NOT NULL,  san TEXT NOT NULL,  flags INTEGER NOT NULL,  white_ms INTEGER NOT NULL,  black_ms INTEGER NOT NULL,  at INTEGER NOT NULL,  wall INTEGER NOT NULL,  fen TEXT,  PRIMARY KEY (game, ply)) WITHOUT ROWID;
INSERT INTO "plies" VALUES(1,1,'e2e4','e4',2,5430000,5400000,7965086308,1796005642734383,NULL);
INSERT INTO "plies" VALUES(1,2,'e7e5','e5',2,5430000,5430000,7965086998,1796005642734818,NULL);
INSERT INTO "plies" VALUES(1,3,'f2f4','f4',2,5460000,5430000,7965087164,1796005642734961,NULL);
INSERT INTO "plies" VALUES(1,4,'e5f4','exf4',2,5460000,5460000,7965087309,1796005642735116,NULL);
CREATE TABLE sessions (  board TEXT PRIMARY KEY,  boot TEXT NOT NULL,  at INTEGER NOT NULL,  wall INTEGER NOT NULL,  loop INTEGER NOT NULL,  state TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "sessions" VALUES('T1','00000000-0000-0000-0000-000000000001',7965087331,1796005642735122,7965087331,'state playing
orientation normal
id T1-6175265986cb-1
rules fide2023
tempo standard
completion auto
enforcement observe
supervised 1
published 1
timed 1
control-white 5400+30
control-black 5400+30
default-time-ms -1
initial rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
result *
termination
draw-offer
illegal-moves 0 0
offers 0 0
present 1 1
end-reason
date 2026.11.30
tag White Anderssen, Adolf
tag Black Kieseritzky, Lionel
tag Event London
questions-asked 0
touch-side white
adjusting
touches-told 0 0
clock-mode internal
white-at auto
flags 0 0
time-owed 0 0
engine 0 0 2 0 7965087309
engine-side 5460000000 0 0 0 2 2 0 0 0 0
engine-side 5460000000 0 0 0 2 2 0 0 0 0
turn-start 0 0 2 0 7965087309
turn-start-side 5460000000 0 0 0 2 2 0 0 0 0
turn-start-side 5460000000 0 0 0 2 2 0 0 0 0
');
CREATE INDEX games_by_board ON games (board);
CREATE INDEX games_by_event ON games (event);
CREATE INDEX games_by_date ON games (date);
CREATE INDEX games_by_result ON games (result);
