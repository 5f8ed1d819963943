package plan

// nodeIndex finds the position of a broker among the nodes of a survey. Broker
// IDs are small in nearly every cluster, so a table answers in a nanosecond,
// six million times at two million partitions; an ID beyond it, or that no broker
// can have, costs a look into a map.
type nodeIndex struct {
	table []int32 // by ID: position, or -1
	far   map[int32]int32
}

// tableLimit bounds the table: 4 MB, for IDs of a million.
const tableLimit = 1 << 20

func newNodeIndex(nodes []node) nodeIndex {
	var ix nodeIndex
	for i := range nodes {
		ix.set(nodes[i].id, int32(i))
	}
	return ix
}

func (ix *nodeIndex) set(id, at int32) {
	if id < 0 || id >= tableLimit {
		if ix.far == nil {
			ix.far = map[int32]int32{}
		}
		ix.far[id] = at
		return
	}
	for int32(len(ix.table)) <= id {
		ix.table = append(ix.table, -1)
	}
	ix.table[id] = at
}

// of is the position of the broker, or -1 if it is no node.
func (ix *nodeIndex) of(id int32) int32 {
	if uint32(id) < uint32(len(ix.table)) {
		return ix.table[id]
	}
	if at, ok := ix.far[id]; ok {
		return at
	}
	return -1
}
