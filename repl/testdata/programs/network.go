package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"log"
	"log/slog"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
)

type greeter struct{ greeting string }

func (g greeter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Path", r.URL.Path)
	fmt.Fprintf(w, "%s, %s", g.greeting, r.FormValue("name"))
}

func logged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				http.Error(w, fmt.Sprint("recovered: ", p), http.StatusInternalServerError)
			}
		}()
		h.ServeHTTP(w, r)
	})
}

type header struct{ next http.RoundTripper }

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Agent", "test")
	return h.next.RoundTrip(r)
}

func get(c *http.Client, url string) {
	res, err := c.Get(url)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	fmt.Println(res.StatusCode, strings.TrimSpace(string(b)), err, res.Header.Get("X-Path"))
}

type line struct{ w io.Writer }

func (l line) Write(p []byte) (int, error) {
	_, err := fmt.Fprintf(l.w, "[%s]\n", bytes.TrimSpace(p))
	return len(p), err
}

func main() {
	mux := http.NewServeMux()
	mux.Handle("GET /hello/{who}", greeter{"Hello"})
	mux.HandleFunc("/panic", func(w http.ResponseWriter, r *http.Request) { panic("oh no") })
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, b, r.Header.Get("X-Agent"))
	})
	mux.HandleFunc("/item/{id}", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "id", Value: r.PathValue("id")})
		http.Redirect(w, r, "/hello/x?name=redirected", http.StatusFound)
	})
	srv := httptest.NewServer(logged(mux))
	defer srv.Close()
	c := srv.Client()
	get(c, srv.URL+"/hello/bob?name=Bob")
	get(c, srv.URL+"/panic")
	get(c, srv.URL+"/item/7")
	get(c, srv.URL+"/none")
	c.Transport = header{c.Transport}
	res, err := c.Post(srv.URL+"/echo", "text/plain", strings.NewReader("body"))
	b, _ := io.ReadAll(res.Body)
	fmt.Println(string(b), err)
	rec := httptest.NewRecorder()
	http.StripPrefix("/x", greeter{"Hi"}).ServeHTTP(rec, httptest.NewRequest("GET", "/x/y?name=n", nil))
	fmt.Println(rec.Code, rec.Body.String(), rec.Result().Header["X-Path"])
	slow := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}), time.Millisecond, "too slow")
	rec = httptest.NewRecorder()
	slow.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
	fmt.Println(rec.Code, rec.Body)

	u, err := url.Parse("https://user:pw@host:80/p/a th?q=1&q=2&x=%20#frag")
	fmt.Println(u.Host, u.Port(), u.User, u.Query()["q"], u.Fragment, u, err)
	q := url.Values{"b": {"2"}, "a": {"1 &"}}
	fmt.Println(q.Encode(), url.PathEscape("a/b c"))
	_, err = url.Parse("http://[::1")
	fmt.Println(err)
	ap := netip.MustParseAddrPort("10.0.0.1:80")
	pfx := netip.MustParsePrefix("10.0.0.0/8")
	fmt.Println(ap.Addr(), ap.Port(), pfx.Contains(ap.Addr()), ap.Addr().Next(), netip.MustParseAddr("::1").Is6())
	ip, n, err := net.ParseCIDR("192.168.1.7/24")
	fmt.Println(ip, n, err, net.JoinHostPort("h", "1"), net.IPv4(1, 2, 3, 4))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		fmt.Fprint(conn, "served")
		conn.Close()
	}()
	conn, err := net.Dial("tcp", ln.Addr().String())
	b, err = io.ReadAll(conn)
	fmt.Println(string(b), err, ln.Close())
	fmt.Println(html.EscapeString("<a&b>"), html.UnescapeString("&eacute;"))
	mt, params, err := mime.ParseMediaType("text/html; charset=utf-8")
	fmt.Println(mt, params, err)
	var body bytes.Buffer
	mw := multipart.NewWriter(&body)
	mw.SetBoundary("bbb")
	mw.WriteField("k", "v")
	mw.Close()
	fmt.Printf("%q\n", body.String())
	addr, err := mail.ParseAddress("Bob <bob@x.org>")
	fmt.Println(addr.Name, addr.Address, err)

	l := log.New(line{os.Stdout}, "p: ", log.Lmsgprefix)
	l.Printf("n = %d", 3)
	h := slog.NewTextHandler(line{os.Stdout}, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})
	sl := slog.New(h).With("app", "x").WithGroup("g")
	sl.Info("hello", "n", 1, slog.Group("sub", "d", time.Second))
	sl.Debug("debug", "err", io.EOF)
	slog.SetDefault(slog.New(h))
	slog.Warn("default")
	log.SetFlags(0)
	log.Print("through slog")
}
