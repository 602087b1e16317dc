// The kernel in JupyterLab and Notebook 7, in a real browser.
//
//   node lab.mjs [--kernel NAME] [--screens DIR] [--notebook FILE.ipynb]
//
// It starts a server with the jupyter command on the PATH, in a folder of its own, and a Chromium.
// Pictures of what a person would see are left in DIR. FILE is run whole.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import net from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { after, before, test } from "node:test"
import { parseArgs } from "node:util"
import { chromium } from "playwright-core"

import { cellsOf } from "./labcells.mjs"

const { values: options } = parseArgs({
  options: {
    kernel: { type: "string", default: "halfnote" },
    screens: { type: "string" },
    notebook: { type: "string" },
    patience: { type: "string", default: "120" },
  },
})
const LONG = Number(options.patience) * 1000 // ms after which a page is called stuck
const RUNNING = '.jp-Notebook-ExecutionIndicator[data-status="busy"]'
const IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'

let dir, url, server, browser, page, spec, cells

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "halfnote-lab-"))
  await setting("apputils-extension/notification", { fetchNews: "false" })
  await setting("completer-extension/manager", { providerTimeout: LONG }) // else a second
  await mkdir(path.join(dir, "root"))
  if (options.screens) await mkdir(options.screens, { recursive: true })

  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = spawn("jupyter", [
    "lab", "--allow-root", "--no-browser", "--ip=127.0.0.1", `--port=${port}`,
    "--ServerApp.port_retries=0",
    "--IdentityProvider.token=", "--ServerApp.password=", `--ServerApp.root_dir=${dir}/root`,
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
  ], {
    env: {
      ...process.env, JUPYTER_CONFIG_DIR: `${dir}/config`, JUPYTER_RUNTIME_DIR: `${dir}/runtime`,
    },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let log = ""
  server.stderr.on("data", (d) => { log += d })
  await until(async () => {
    assert.equal(server.exitCode, null, log)
    return (await fetch(`${url}/api/status`)).ok
  }, "an answer of the server")
  spec = (await (await fetch(`${url}/api/kernelspecs`)).json()).kernelspecs[options.kernel]?.spec
  assert(spec, `the server knows no kernel ${options.kernel}\n${log}`)
  cells = cellsOf(spec.language)

  const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync)
  browser = await chromium.launch({
    executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  })
  page = await browser.newPage({ viewport: { width: 1200, height: 900 } })
  page.setDefaultTimeout(LONG)
})

after(async () => {
  await browser?.close()
  if (server?.exitCode === null) {
    const gone = new Promise((resolve) => server.once("exit", resolve))
    server.kill("SIGTERM") // it ends its kernels first
    await gone
  }
  await rm(dir, { recursive: true, force: true })
})

check("the launcher shows the kernel and its logo", async () => {
  await page.goto(`${url}/lab?reset`)
  const title = `[data-category="Notebook"][title*="${spec.display_name}"]`
  const card = page.locator(`.jp-LauncherCard${title}`)
  const logo = card.locator("img.jp-Launcher-kernelIcon")
  await logo.waitFor()
  await until(() => logo.evaluate((img) => img.complete && img.naturalWidth > 0), "logo")
  await screen("launcher")
  await card.click() // a new notebook with this kernel
  await ready()
})

check("a cell's output and result", async () => {
  await open("run", [cells.hello, cells.result])
  await run(0)
  assert.equal(await text(0), "hello, world\n")
  await run(1)
  assert.match(await text(1), /42/)
})

check("Tab completes, with types", async () => {
  await open("tab", [cells.define, ""])
  await run(0)
  await type(1, cells.prefix)
  await page.keyboard.press("Tab")
  const item = page.locator(".jp-Completer-item", { hasText: cells.member }).first()
  await item.waitFor()
  assert.match(await item.innerText(), /function|method|instance|variable/)
  await screen("completion")
  await page.keyboard.press("Escape")
  await type(1, cells.unique)
  await page.keyboard.press("Tab")
  await page.locator(".jp-Completer-item").first().waitFor()
  await page.keyboard.press("Enter")
  await until(async () => (await source(1)) === cells.uniqueCompleted, "completed text")
})

check("Shift-Tab helps", async () => {
  await open("help", [""])
  await type(0, cells.known)
  await page.keyboard.press("Shift+Tab")
  const tip = page.locator(".jp-Tooltip")
  await tip.waitFor()
  assert.match(await tip.innerText(), cells.help)
  await screen("help")
  await page.keyboard.press("Escape")
})

check("an error has its place and colours", async () => {
  await open("error", [cells.error])
  await run(0)
  const output = cell(0).locator(".jp-OutputArea-output")
  assert.match(await output.innerText(), cells.errorText)
  assert(await output.locator('span[class*="ansi-"]').count() > 0, "no colours")
  await screen("error")
})

check("pictures are drawn", async () => {
  await open("picture", [cells.picture])
  await run(0)
  const img = cell(0).locator(".jp-OutputArea-output img")
  await until(() => img.evaluate((i) => i.complete && i.naturalWidth > 0), "picture")
})

check("a live picture changes while its cell runs", async () => {
  await open("live", [cells.live])
  await watch(0)
  await start(0)
  const watched = () => page.evaluate(() => globalThis.watched)
  await until(async () => (await watched()).pictures.length >= 3, "three pictures")
  const { heights } = await watched()
  await screen("live")
  await interrupt()
  await finished(0)
  assert.equal(heights.length, 1, `the picture's height changes: ${heights}`)
})

check("a cell asks and is answered", async () => {
  await open("ask", [cells.ask])
  await start(0)
  const input = cell(0).locator(".jp-Stdin-input")
  await input.fill("Gopher")
  await screen("input")
  await input.press("Enter")
  await finished(0)
  assert.match(await text(0), /Gopher/)
})

check("an endless loop is interrupted and names are kept", async () => {
  await open("interrupt", [cells.define, cells.endless, cells.kept])
  await run(0)
  await start(1)
  await page.locator(RUNNING).waitFor()
  await interrupt()
  await finished(1)
  assert.match(await text(1), cells.interrupted)
  await screen("interrupt")
  await run(2)
  assert.match(await text(2), /42/)
})

check("a restart forgets", async () => {
  await open("restart", [cells.define, cells.kept])
  await run(0)
  await restart()
  await run(1)
  assert.match(await text(1), cells.forgotten)
  assert.equal(await prompt(1), "[1]:")
})

check("a restart ends an endless loop", async () => {
  await open("restart-busy", [cells.endless, cells.hello])
  await start(0)
  await page.locator(RUNNING).waitFor()
  await restart()
  await run(1)
  assert.equal(await text(1), "hello, world\n")
})

check("reloading the page keeps outputs and the session", async () => {
  await open("reload", [cells.define, cells.hello, cells.picture, cells.kept])
  for (const i of [0, 1, 2]) await run(i)
  await save("reload")
  await page.reload()
  await ready()
  assert.equal(await text(1), "hello, world\n")
  await cell(2).locator(".jp-OutputArea-output img").waitFor()
  await run(3)
  assert.match(await text(3), /42/)
})

check("Notebook 7 runs a cell", async () => {
  await write("seven", [cells.hello])
  await page.goto(`${url}/notebooks/seven.ipynb`)
  await cell(0).waitFor()
  await until(async () => {
    const sessions = await (await fetch(`${url}/api/sessions`)).json()
    return sessions.some((s) => s.path === "seven.ipynb" && s.kernel.connections > 0)
  }, "a kernel in Notebook 7")
  await start(0)
  await until(async () => (await text(0)) === "hello, world\n", "output in Notebook 7")
  await screen("notebook7")
})

if (options.notebook) {
  check(`Run All of ${path.basename(options.notebook)}`, async () => {
    await cp(options.notebook, path.join(dir, "root/whole.ipynb"))
    const wanted = await saved("whole")
    await page.goto(`${url}/lab/tree/whole.ipynb?reset`)
    await ready()
    await page.locator(".lm-MenuBar-item", { hasText: /^Run$/ }).click()
    await page.locator('.lm-Menu-item[data-command="runmenu:run-all"]').click()
    await page.locator(RUNNING).waitFor()
    await page.locator(IDLE).waitFor({ timeout: 5 * LONG })
    await until(async () => {
      await save("whole")
      return (await saved("whole")).every((c) => c.execution_count)
    }, "a saved count in every cell")
    const got = await saved("whole")
    assert.equal(got.length, wanted.length)
    for (const c of got) {
      assert(c.outputs.every((o) => o.output_type !== "error"), JSON.stringify(c.outputs))
    }
    const pictures = got.flatMap((c) => c.outputs).filter((o) => o.output_type === "display_data")
    assert(pictures.length > 0, "no picture in the file")
    for (const p of pictures) {
      assert.deepEqual(Object.keys(p.data).sort(), ["image/png", "image/svg+xml", "text/plain"])
    }
    const img = page.locator(".jp-OutputArea-output img").first()
    await img.scrollIntoViewIfNeeded()
    await screen("whole")
  })
}

// check is a test that leaves a picture of the page when it fails.
function check(name, body) {
  test(name, async () => {
    try {
      await body()
    } catch (e) {
      await screen(`failed ${name}`)
      throw e
    }
  })
}

// write makes a notebook with the given code cells.
async function write(name, sources) {
  const nb = {
    cells: sources.map((source, i) => ({
      cell_type: "code", id: `cell${i}`, execution_count: null, metadata: {}, outputs: [], source,
    })),
    metadata: {
      kernelspec: {
        name: options.kernel, display_name: spec.display_name, language: spec.language,
      },
    },
    nbformat: 4,
    nbformat_minor: 5,
  }
  await writeFile(path.join(dir, "root", `${name}.ipynb`), JSON.stringify(nb))
}

// open shows a new notebook in JupyterLab, with its kernel ready.
async function open(name, sources) {
  await write(name, sources)
  await page.goto(`${url}/lab/tree/${name}.ipynb?reset`)
  await ready()
}

// ready waits until the notebook's kernel is connected; before that its indicator says idle too.
async function ready() {
  await page.locator("#jp-main-statusbar", { hasText: `${spec.display_name} | Idle` }).waitFor()
  await page.locator(IDLE).waitFor()
}

function cell(i) {
  return page.locator(".jp-Notebook .jp-CodeCell").nth(i)
}

async function start(i) {
  await cell(i).locator(".cm-content").click()
  await page.keyboard.press("Control+Enter")
}

async function run(i) {
  await start(i)
  await finished(i)
}

async function finished(i) {
  await until(async () => /^\[\d+\]:$/.test(await prompt(i)), `an end of cell ${i}`)
  await page.locator(IDLE).waitFor()
}

async function prompt(i) {
  return (await cell(i).locator(".jp-InputPrompt").innerText()).trim()
}

async function type(i, code) {
  await cell(i).locator(".cm-content").click()
  await page.keyboard.press("Control+a")
  await page.keyboard.press("Backspace")
  await page.keyboard.insertText(code)
}

async function source(i) {
  return cell(i).locator(".cm-content").innerText()
}

// text is what stands under a cell, as text.
async function text(i) {
  const outputs = cell(i).locator(".jp-OutputArea-output")
  return outputs.evaluateAll((nodes) => nodes.map((n) => n.textContent).join(""))
}

// watch makes the page note the pictures drawn under a cell, and the heights that they give it: a
// ResizeObserver is called between layout and paint, so that it sees what a person would.
async function watch(i) {
  await cell(i).locator(".jp-Cell-outputArea").evaluate((area) => {
    const pictures = new Set(), heights = []
    globalThis.watched = { pictures: [], heights }
    new MutationObserver(() => {
      for (const img of area.querySelectorAll("img")) pictures.add(img.src)
      globalThis.watched.pictures = [...pictures]
    }).observe(area, { childList: true, subtree: true, attributes: true })
    new ResizeObserver(() => {
      const height = area.getBoundingClientRect().height
      const drawn = [...area.querySelectorAll("img")].some((img) => img.naturalHeight > 0)
      if (heights.length > 0 || drawn) heights.push(height)
    }).observe(area)
  })
}

async function interrupt() {
  await page.locator('[data-command="notebook:interrupt-kernel"]').first().click()
}

async function restart() {
  await page.locator('[data-command="notebook:restart-kernel"]').first().click()
  await page.locator(".jp-Dialog .jp-mod-accept").click()
  await page.locator(".jp-Dialog").waitFor({ state: "detached" })
  await ready()
}

async function save(name) {
  const file = path.join(dir, "root", `${name}.ipynb`)
  const before = (await stat(file)).mtimeMs
  await page.keyboard.press("Control+s")
  await until(async () => (await stat(file)).mtimeMs > before && await saved(name), "a saved file")
}

async function saved(name) {
  const nb = JSON.parse(await readFile(path.join(dir, "root", `${name}.ipynb`), "utf8"))
  return nb.cells.filter((c) => c.cell_type === "code")
}

async function screen(name) {
  if (options.screens) await page.screenshot({ path: path.join(options.screens, `${name}.png`) })
}

async function until(condition, what) {
  const end = Date.now() + LONG
  let problem = ""
  while (Date.now() < end) {
    try {
      if (await condition()) return
    } catch (e) {
      if (e instanceof assert.AssertionError) throw e
      problem = `: ${e.message}`
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.fail(`waited in vain for ${what}${problem}`)
}

// freePort returns a port that is free, of those that systems do not choose for others meanwhile.
function freePort() {
  const port = 10_000 + Math.floor(20_000 * Math.random())
  return new Promise((resolve) => {
    const s = net.createServer().on("error", () => resolve(freePort()))
    s.listen(port, "127.0.0.1", () => s.close(() => resolve(port)))
  })
}

// setting writes a setting of JupyterLab as a person would have changed it.
async function setting(name, values) {
  const file = path.join(dir, `config/lab/user-settings/@jupyterlab/${name}.jupyterlab-settings`)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(values))
}
