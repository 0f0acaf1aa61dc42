// Command floor opens a bbolt file, writes one key and syncs: the least that a
// program which remembers a call can do.
package main

import (
	"encoding/binary"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

func main() {
	db, err := bbolt.Open(os.Args[1], 0o600, nil)
	if err != nil {
		panic(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("calls"))
		if err != nil {
			return err
		}
		var key [8]byte
		binary.BigEndian.PutUint64(key[:], uint64(time.Now().UnixNano()))
		return b.Put(key[:], []byte(`{"tool":"git_status","args":{}}`))
	})
	if err != nil {
		panic(err)
	}
	if err := db.Close(); err != nil {
		panic(err)
	}
}
