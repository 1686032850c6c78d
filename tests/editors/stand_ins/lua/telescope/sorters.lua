return {
  empty = function()
    return 'empty'
  end,
}
