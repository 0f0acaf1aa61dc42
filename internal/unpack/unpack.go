// Package unpack reads files that may be compressed: gzip and zstd are told by
// their first bytes, everything else is passed through.
package unpack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is how much memory a zstd file may ask for; the program's own
// setting, 8 MiB, and that of zstd -19 fit.
const maxWindow = 32 << 20

// Reader gives the content of r, unpacked if it is packed.
func Reader(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("unpack gzip: %w", err)
		}
		return z, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("unpack zstd: %w", err)
		}
		return z.IOReadCloser(), nil
	default:
		return io.NopCloser(b), nil
	}
}
