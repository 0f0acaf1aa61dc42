package unpack

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestReader(t *testing.T) {
	long := strings.Repeat("a line of a trace\n", 50_000)
	for _, text := range []string{"", "x", "{}", long} {
		var z, s bytes.Buffer
		gz := gzip.NewWriter(&z)
		zw, err := zstd.NewWriter(&s)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []io.WriteCloser{gz, zw} {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		packed := map[string][]byte{"plain": []byte(text), "gzip": z.Bytes(), "zstd": s.Bytes()}
		if text == "" {
			packed["zstd"] = nil // its writer writes nothing at all then
		}
		for name, data := range packed {
			r, err := Reader(bytes.NewReader(data))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got, err := io.ReadAll(r)
			if err != nil || string(got) != text {
				t.Errorf("%s of %d bytes: %d bytes, %v", name, len(text), len(got), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	for name, data := range map[string][]byte{
		"gzip": {0x1f, 0x8b, 1, 2, 3, 4}, "zstd": {0x28, 0xb5, 0x2f, 0xfd, 0xff, 0xff, 0xff},
	} {
		r, err := Reader(bytes.NewReader(data))
		if err != nil {
			continue
		}
		if _, err := io.ReadAll(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
