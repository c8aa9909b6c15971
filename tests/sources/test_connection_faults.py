"""Every fault of a server is one line that teaches, with the right exit code and no secret in it."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_prometheus import free_port
from loopback_server import Reply, Request, api, api_error, loopback

from census.errors import CensusError, ExitCode, SourceError, UsageError
from census.sources.connection import Access, Connection
from census.sources.prometheus import PrometheusCatalogue
from census.sources.refusals import ServerRefusalError


def told(access: Access) -> CensusError:
    with pytest.raises(CensusError) as caught, Connection(access) as connection:
        PrometheusCatalogue(connection).metric_names(window=None, match=None)
    assert "\n" not in str(caught.value)
    return caught.value


HTML = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>hello</body></html>"
PAGE = "# HELP vllm:x y\nvllm:x 1\n"


@pytest.mark.parametrize(
    ("reply", "words", "hint"),
    [
        (
            Reply(body=HTML),
            "answered with an HTML page ('Sign in'), so this is not a Prometheus API",
            "login page",
        ),
        (Reply(body=PAGE), "answered with text that is not JSON ('# HELP vllm:x y')", "/metrics page"),
        (Reply(body='{"model": "x"}'), "answered with JSON of another kind", "check the address"),
        (Reply(body=""), "answered with nothing", "check the address"),
        (Reply(body="[1, 2]"), "answered with JSON of another kind", "check the address"),
        (
            Reply(status=401, body="Unauthorized\n"),
            "asks for credentials (HTTP 401): Unauthorized",
            "--bearer-token",
        ),
        (Reply(status=401, body='{"error": "bad key"}'), "(HTTP 401): bad key", "--bearer-token-file"),
        (Reply(status=401, body=HTML), "asks for credentials (HTTP 401)", "--bearer-token-file"),
        (Reply(status=403, body="no"), "refuses these credentials (HTTP 403): no", "ask for the right"),
        (Reply(status=404, body="404 page not found"), "is not there (HTTP 404)", "path prefix"),
        (Reply(status=429, body="slow"), "asks to slow down (HTTP 429)", "try again later"),
        (Reply(status=500, body="oops\nstack"), "answered HTTP 500: oops", ""),
        (Reply(status=502, body=HTML), "is not available (HTTP 502)", "see whether the Prometheus"),
        (Reply(status=302, headers={"Location": "/login?state=s3cret"}), "redirects to /login", "login page"),
        (api_error(422, "execution", "too many samples"), "answered HTTP 422: too many samples", ""),
        (api_error(200, "internal", "odd"), "answered an error: odd", ""),
        (
            Reply(body=b'{"status": "success", "data": ["a"', cut=20),
            "broke before the answer was whole",
            "try again",
        ),
        (Reply(status=500, body="x" * 5000), "x…", ""),
    ],
)
def test_an_answer_that_is_none_is_explained(reply: Reply, words: str, hint: str) -> None:
    with loopback(lambda _: reply) as url:
        error = told(Access(url=url))
    assert words in str(error)
    assert hint in error.hint
    assert error.exit_code is ExitCode.SOURCE
    assert len(str(error)) < 700
    assert "s3cret" not in str(error)


def test_a_refused_connection_and_an_unknown_host_are_told_at_once() -> None:
    refused = told(Access(url=f"http://127.0.0.1:{free_port()}/prom"))
    assert "the connection was refused; see whether the Prometheus runs there, and its port" in str(refused)
    unknown = told(Access(url="http://census.invalid:9090"))
    assert "http://census.invalid:9090: this host name is not known" in str(unknown)


def test_a_silent_server_is_given_up_after_the_timeout() -> None:
    over = threading.Event()
    with loopback(lambda _: Reply(before=lambda: over.wait(5))) as url:
        error = told(Access(url=url, read_timeout_s=0.2))
        over.set()
    assert "did not answer in time (silent for 0.2 s)" in str(error)


@pytest.mark.parametrize(
    "url", ["localhost:9090", "ftp://x", "http://", "http://[::1", "http://x:99999", "", "http://x:0", "//x"]
)
def test_an_address_that_is_none_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError, match="write for example http://localhost:9090"):
        Connection(Access(url=url))


class Recorder:
    """Remembers requests and answers success."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        return api([])


def test_every_kind_of_credential_arrives(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("tok-en\n")
    (tmp_path / "pair").write_text("me:pass:word\n")
    seen = Recorder()
    with loopback(seen) as url:
        for access in (
            Access(
                url=f"{url}/prom/", bearer_token_file=tmp_path / "token", headers={"X-Scope-OrgID": "team"}
            ),
            Access(url=url, bearer_token="from-env"),
            Access(url=url, basic_auth_file=tmp_path / "pair"),
            Access(url=url.replace("://", "://us%40er:s3cr3t@")),
        ):
            with Connection(access) as connection:
                PrometheusCatalogue(connection).metric_names(window=None, match=None)
    assert [one.headers["Authorization"] for one in seen.requests] == [
        "Bearer tok-en",
        "Bearer from-env",
        "Basic bWU6cGFzczp3b3Jk",
        "Basic dXNAZXI6czNjcjN0",
    ]
    assert seen.requests[0].path == "/prom/api/v1/label/__name__/values"
    assert seen.requests[0].headers["X-Scope-OrgID"] == "team"
    assert {one.headers["Accept-Encoding"] for one in seen.requests} == {"identity"}


def test_netrc_does_not_overwrite_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login wrong password wrong\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    seen = Recorder()
    with loopback(seen) as url, Connection(Access(url=url, bearer_token="right")) as connection:
        PrometheusCatalogue(connection).metric_names(window=None, match=None)
    assert seen.requests[0].headers["Authorization"] == "Bearer right"


def test_a_proxy_from_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Recorder()
    with loopback(seen) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.setenv("no_proxy", "")
        with Connection(Access(url="http://prometheus.internal:9090")) as connection:
            PrometheusCatalogue(connection).metric_names(window=None, match=None)
    assert seen.requests[0].headers["Host"] == "prometheus.internal:9090"


def test_no_secret_stands_in_an_error_or_a_repr(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("hunter2hunter2\n")
    echo = lambda request: Reply(status=403, body=f"bad token {request.headers['Authorization']}")  # noqa: E731
    with loopback(echo) as url:
        access = Access(
            url=url.replace("://", "://user:passw0rd@"),
            bearer_token_file=tmp_path / "token",
            headers={"X-Key": "sesame-open"},
        )
        error = told(access)
    everything = f"{error} {error!r} {access.headers and ''}{Connection(access)!r}"
    for secret in ("hunter2", "passw0rd", "sesame"):
        assert secret not in everything
    assert "bad token Bearer ***" in str(error)
    assert "sesame" not in repr(access)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: {"bearer_token_file": folder / "none"}, "--bearer-token-file"),
        (lambda folder: {"bearer_token_file": folder / "empty"}, "its first line is empty"),
        (lambda folder: {"bearer_token_file": folder / "binary"}, "it is not text"),
        (lambda folder: {"basic_auth_file": folder / "token"}, "must be user:password"),
        (lambda folder: {"bearer_token": "a", "basic_auth_file": folder / "pair"}, "both given"),
        (lambda folder: {"ca_file": folder / "none"}, "--ca-file"),
        (lambda folder: {"client_key": folder / "token"}, "--client-key needs --client-cert"),
        (lambda folder: {"headers": {"X": "a\nb"}}, "no HTTP header may hold"),
    ],
)
def test_credentials_that_cannot_be_used_are_a_usage_error(tmp_path: Path, make: object, words: str) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "token").write_text("token")
    (tmp_path / "pair").write_text("a:b")
    with pytest.raises(UsageError) as caught:
        Connection(Access(url="http://x", **make(tmp_path)))  # type: ignore[operator]
    assert words in str(caught.value)


def test_warnings_of_discovery_are_kept_and_mean_partial() -> None:
    with loopback(lambda _: api(["a"], warnings=["store-1 is gone"], infos=["hm"])) as url:
        catalogue = PrometheusCatalogue(Connection(Access(url=url)))
        assert catalogue.metric_names(window=None, match=None) == ("a",)
    assert (catalogue.warnings, catalogue.partial) == (["store-1 is gone", "hm"], True)


def test_a_server_that_does_not_say_what_it_is_is_unknown_not_refused() -> None:
    def answer(request: Request) -> Reply:
        if request.path.endswith("buildinfo"):
            return Reply(status=404, body="not found")
        return Reply(status=400, body="unsupported path requested: /api/v1/status/flags")

    with loopback(answer) as url:
        assert PrometheusCatalogue(Connection(Access(url=url))).backend() == {
            "kind": "victoria-metrics",
            "version": "",
        }
    with loopback(lambda _: Reply(status=404)) as url:
        assert PrometheusCatalogue(Connection(Access(url=url))).backend()["kind"] == "unknown"
    with loopback(lambda _: api({"application": "Grafana Mimir", "version": "2.9"})) as url:
        assert PrometheusCatalogue(Connection(Access(url=url))).backend()["kind"] == "grafana-mimir"


def test_the_server_s_error_type_is_kept_for_those_who_decide_by_it() -> None:
    with loopback(lambda _: api_error(400, "bad_data", "parse error")) as url:
        error = told(Access(url=url))
    assert isinstance(error, ServerRefusalError)
    assert (error.status, error.error_type, error.words) == (400, "bad_data", "parse error")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a folder with a CA, a server certificate for 127.0.0.1 and a client certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl not installed")
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    new_key = "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    signed = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext"
    (folder / "ext").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl(*f"{new_key} -x509 -days 2 -keyout ca.key -out ca.pem -subj /CN=census-test-ca".split())
    for name in ("server", "client"):
        openssl(*f"{new_key} -keyout {name}.key -out {name}.csr -subj /CN=127.0.0.1".split())
        openssl(*f"x509 -req -in {name}.csr -out {name}.pem {signed}".split())
    yield folder


def test_a_self_signed_certificate_is_refused_and_the_ca_file_lets_us_in(certificates: Path) -> None:
    pair = (certificates / "server.pem", certificates / "server.key")
    with loopback(lambda _: api(["a"]), certificate=pair) as url:
        error = told(Access(url=url))
        assert "TLS failed" in str(error)
        assert "--ca-file" in error.hint
        for access in (Access(url=url, ca_file=certificates / "ca.pem"), Access(url=url, insecure=True)):
            with Connection(access) as connection:
                assert PrometheusCatalogue(connection).metric_names(window=None, match=None) == ("a",)


def test_a_client_certificate_is_shown_to_the_server(certificates: Path) -> None:
    pair = (certificates / "server.pem", certificates / "server.key")
    ca = certificates / "ca.pem"
    with loopback(lambda _: api(["a"]), certificate=pair, client_ca=ca) as url:
        with pytest.raises(SourceError), Connection(Access(url=url, ca_file=ca)) as connection:
            PrometheusCatalogue(connection).metric_names(window=None, match=None)
        access = Access(
            url=url,
            ca_file=ca,
            client_cert=certificates / "client.pem",
            client_key=certificates / "client.key",
        )
        with Connection(access) as connection:
            assert PrometheusCatalogue(connection).metric_names(window=None, match=None) == ("a",)
