"""What cells show: display_data, its updates, clear_output, and a lot of it."""

import base64

import pytest

MB = 1_000_000


def test_html(client, cells):
    e = client.execute(cells("displays", COUNT=1))
    (shown,) = e.of_type("display_data")
    assert shown["data"]["text/html"] == "<b>0</b>"
    assert "text/plain" in shown["data"]
    assert e.kinds == ["display_data"]


def test_png(client, cells):
    (shown,) = client.execute(cells("image")).of_type("display_data")
    base64.b64decode(shown["data"]["image/png"], validate=True)
    assert "text/plain" in shown["data"]


@pytest.mark.ours
def test_png_is_one(client, cells):
    (shown,) = client.execute(cells("image")).of_type("display_data")
    assert base64.b64decode(shown["data"]["image/png"]).startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("wait", ["true", "false"])
def test_clear(client, cells, wait):
    e = client.execute(cells("clear", WAIT=wait))
    assert e.kinds == ["stream", "clear_output", "stream"]
    assert e.of_type("clear_output") == [{"wait": wait == "true"}]
    assert e.stdout == "gone\nhere\n"


def test_update(client, cells):
    e = client.execute(cells("update"))
    (shown,) = e.of_type("display_data")
    updates = e.of_type("update_display_data")
    assert updates
    for u in updates:
        assert u["transient"]["display_id"] == shown["transient"]["display_id"]
    assert e.kinds.index("display_data") < e.kinds.index("update_display_data")


LIVE = """
type count struct{ n atomic.Int64 }
func (c *count) Version() uint64 { return uint64(c.n.Load()) }
func (c *count) String() string  { return fmt.Sprint("n = ", c.n.Load()) }
c := &count{}
display.Live(c)
"""


@pytest.mark.ours
def test_live_view(client):
    e = client.execute(
        LIVE + "for range 10 {\n\tc.n.Add(1)\n\ttime.Sleep(100 * time.Millisecond)\n}"
    )
    assert e.of_type("display_data")[0]["data"]["text/plain"] == "n = 0"
    updates = [u["data"]["text/plain"] for u in e.of_type("update_display_data")]
    assert updates[-1] == "n = 10"


@pytest.mark.ours
@pytest.mark.parametrize("end", ["interrupt", "error"])
def test_live_view_keeps_its_last_picture(client, cells, end):
    code = LIVE + "c.n.Store(7)\n"
    if end == "error":
        e = client.execute(code + cells("fail"))
    else:
        e = client.send_execute(code + cells("hello") + "\n" + cells("for ever"))
        client.until(lambda: e.stdout, "output")
        client.interrupt()
        client.finish(e)
    assert e.status == "error"
    assert e.of_type("update_display_data")[-1]["data"]["text/plain"] == "n = 7"


@pytest.mark.ours
def test_watched_training(client):
    e = client.execute(
        "train, test := data.Digits()\n"
        "model := nn.NewSequential(nn.NewLinear(64, 16), nn.NewReLU(), nn.NewLinear(16, 10))\n"
        "opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.1})\n"
        "scaler := amp.NewGradScaler(amp.ScalerConfig{})\n"
        "display.Live(monitor.Watch(scaler, opt))\n"
        "for x, y := range train.Batches(128) {\n"
        "\topt.ZeroGrad()\n"
        "\tvar loss *tensor.Tensor\n"
        "\tamp.Autocast(func() { loss = nn.CrossEntropy(model.Forward(x), y) })\n"
        "\tscaler.Scale(loss).Backward()\n\tscaler.Step(opt)\n\tscaler.Update()\n}\n"
    )
    assert e.status == "ok", e.reply["content"]
    last = e.of_type("update_display_data")[-1]["data"]
    assert set(last) >= {"text/plain", "image/svg+xml", "image/png"}
    assert "text/html" not in last
    assert 'xmlns="http://www.w3.org/2000/svg"' in last["image/svg+xml"]


@pytest.mark.ours
def test_values_have_a_text_form(client):
    for expression in (
        "tensor.New([]float32{1, 2})",
        "[]struct{ A, B int }{{1, 2}, {3, 4}}",
        'map[string]int{"a": 1}',
        "mat.NewDense(2, 2, nil)",
        'display.Markdown("*x*")',
        'display.Latex("$x$")',
        'display.SVG(`<svg xmlns="http://www.w3.org/2000/svg"/>`)',
        "display.JSON([]int{1})",
    ):
        e = client.execute(expression)
        assert e.status == "ok", (expression, e.reply["content"])
        assert e.result, expression


def test_html_of_text_is_escaped(client, cells):
    e = client.execute(cells.word("text", TEXT="<script>alert(1)</script>"))
    (result,) = e.of_type("execute_result")
    assert "<script>" not in result["data"].get("text/html", "")


@pytest.mark.ours
def test_100_mb(shared, client, cells):
    client.execute(cells("hello"))
    idle = shared.memory()
    e = client.execute(cells("big output", COUNT=100 * MB))
    assert len(e.stdout) == 100 * MB
    del e
    client.exchanges.clear()
    shared.shrinks(2 * idle)


def test_large_image(client, cells):
    (shown,) = client.execute(cells("big image", COUNT=20 * MB)).of_type("display_data")
    assert len(base64.b64decode(shown["data"]["image/png"])) == 20 * MB
