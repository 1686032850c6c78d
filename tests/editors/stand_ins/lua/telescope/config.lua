return {
  values = {
    grep_previewer = function()
      return 'grep_previewer'
    end,
  },
}
