package store

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// copyBucket copies src into dst, buckets in it and sequences included. keep
// says whether a value goes along (nil: all do). step is called after every
// batch bytes.
func copyBucket(dst, src *bbolt.Bucket, batch int, step func() error) error {
	if err := dst.SetSequence(src.Sequence()); err != nil {
		return err
	}
	dst.FillPercent = 1
	size := 0
	return src.ForEach(func(k, v []byte) error {
		if v != nil {
			if size += len(k) + len(v); size > batch && step != nil {
				size = 0
				if err := step(); err != nil {
					return err
				}
			}
			return dst.Put(bytes.Clone(k), bytes.Clone(v))
		}
		in, err := dst.CreateBucketIfNotExists(bytes.Clone(k))
		if err != nil {
			return err
		}
		return copyBucket(in, src.Bucket(k), batch, step)
	})
}
