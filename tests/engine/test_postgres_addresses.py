"""Tables by the address of their database: the right ones, and refusals that repeat no password."""

import pytest
from tests.engine.stays_table import KINDS, TABLE, rows
from tests.engine.told import told
from tests.postgres_server import postgres_server

from privet import errors
from privet.engine._engine_results import fetch
from privet.engine._error_guard import guarded
from privet.engine._postgres_addresses import open_url, table_in, tables_at_url

PASSWORD, WRONG = "sesame", "close-sesame"


@pytest.fixture(scope="module")
def server():
    with postgres_server() as running:
        import psycopg

        with psycopg.connect(running.get_uri()) as database:
            database.execute("CREATE SCHEMA ward")
            database.execute(
                "CREATE TABLE ward.stays (patient BIGINT, ward TEXT, cost DOUBLE PRECISION, born DATE, again BOOLEAN)"
            )
            with database.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO ward.stays VALUES (%s, %s, %s, %s, %s)",
                    [tuple(r.values()) for r in TABLE.to_pylist()],
                )
            database.execute("CREATE TABLE public.beds AS SELECT 1 AS patient")
            database.execute(f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'")
            rules = running.pgdata / "pg_hba.conf"
            rules.write_text("local all guest scram-sha-256\n" + rules.read_text())
            database.execute("SELECT pg_reload_conf()")
        yield running.get_uri()


def test_a_postgres_table_by_address(server):
    relation = open_url(f"{server}#ward.stays")
    assert relation.engine == "postgres"
    assert relation.columns == KINDS
    assert rows(relation) == TABLE.to_pylist()
    joint = "&" if "?" in server else "?"
    assert rows(open_url(f"{server}{joint}table=ward.stays")) == TABLE.to_pylist()
    assert list(open_url(f"{server}#beds").columns) == ["patient"]


def test_a_postgres_table_that_is_not_there(server):
    with pytest.raises(errors.NoSuchTable, match="'stays'"):
        open_url(f"{server}#ward.stay")
    with pytest.raises(errors.NoSuchTable, match="names no table"):
        open_url(server)


def as_guest(server, password):
    found = server.replace("postgres:@", f"guest:{password}@").replace("//postgres@", f"//guest:{password}@")
    assert found != server
    return found


def test_a_postgres_table_without_the_right_to_read_it(server):
    with pytest.raises(errors.PrivetError) as caught, guarded():
        open_url(f"{as_guest(server, PASSWORD)}#ward.stays").table.count().execute()
    assert "sesame" not in told(caught.value)


def test_a_wrong_password_is_said_to_be_a_refused_login_and_not_repeated(server):
    with pytest.raises(errors.SourceUnreachable, match="refused the login") as caught:
        open_url(f"{as_guest(server, WRONG)}#ward.stays")
    assert "sesame" not in told(caught.value)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("postgresql://nobody:sesame@127.0.0.1:1/none#t", errors.SourceUnreachable),
        ("postgresql://nobody:sesame@no.such.host.invalid/none#t", errors.SourceUnreachable),
        ("mysql://nobody:sesame@localhost/none#t", errors.UnknownFormat),
        ("postgresql://nobody:sesame@127.0.0.1:port/none#t", errors.SourceUnreachable),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_without_the_password(url, error):
    with pytest.raises(error) as caught:
        open_url(url)
    assert "sesame" not in told(caught.value)


def test_a_database_that_does_not_exist(server):
    with pytest.raises(errors.SourceUnreachable):
        open_url(f"{server.replace('/postgres', '/nowhere')}#t")


def _in_encoding(server, encoding):
    """A table in a database of another encoding, and a letter that stands for every byte but those of ASCII."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {encoding} ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        )
    there = server.replace("/postgres?", f"/{encoding.lower()}?")
    with psycopg.connect(there, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT convert_from(set_byte('\\x00'::bytea, 0, byte), getdatabaseencoding()) AS letter "
            "FROM generate_series(128, 255) AS byte"
        )
    return f"{there}#t"


@pytest.mark.parametrize("encoding", ["LATIN1", "LATIN2", "LATIN5", "LATIN9"])
def test_a_database_of_an_encoding_without_gaps_can_be_asked(server, encoding):
    relation = open_url(_in_encoding(server, encoding))
    assert len(set(fetch(relation.table, "postgres")["letter"].to_pylist())) == 128


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "WIN1252"])
def test_a_database_with_text_that_is_no_unicode_is_refused(server, encoding):
    """The server fails on such text when a question gets there: on one person's row and on no other."""
    address = _in_encoding(server, encoding)
    with pytest.raises(errors.UnknownFormat, match=encoding):
        open_url(address)


def test_the_tables_of_a_database_are_listed(server):
    assert "beds" in tables_at_url(server)


def test_the_table_that_an_address_names():
    assert table_in("postgresql://host/db#ward.stays") == "ward.stays"
    assert table_in("postgresql://host/db?table=ward.stays") == "ward.stays"
    assert table_in("postgresql://host/db#a%20b") == "a b"
    assert table_in("postgresql://host/db?table=old#new") == "new"
    assert table_in("postgresql://host/db") == ""
